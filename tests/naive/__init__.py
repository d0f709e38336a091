"""Slow, obvious twins: the same answers by plain means, sharing no code with the package."""
