"""What a reader of a release would estimate, beside what is true: populations and counting queries."""
