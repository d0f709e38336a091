"""What a reader of a release would estimate, compared with the truth: populations and counting queries."""
