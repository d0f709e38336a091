"""Evidence: what a release withstands, and what it is good for."""
