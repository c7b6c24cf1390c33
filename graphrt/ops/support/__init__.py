"""What the families of ops share: shape rules, parts of gradient rules, helpers of kernels."""
