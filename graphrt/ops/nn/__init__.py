"""Neural networks: activations, convolutions, pooling, normalization, losses."""
