"""Tables: what is read, and what its columns mean."""
