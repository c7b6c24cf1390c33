"""`tf.summary`: event files that TensorBoard shows, written eagerly and by traced functions."""
