"""Engine: which releases there are, what they protect, and what they cost."""
