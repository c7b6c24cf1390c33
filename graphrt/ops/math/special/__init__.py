"""Functions with names of their own: error, gamma and Bessel functions, and the integrals beside them."""
