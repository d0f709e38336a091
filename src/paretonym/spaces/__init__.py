"""The spaces of possible releases: lattice, cuts, Mondrian, buckets; one folder each."""
