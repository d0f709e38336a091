"""Count once: the distinct tuples of the quasi-identifiers, their roll-up, and the compiled kernels."""
