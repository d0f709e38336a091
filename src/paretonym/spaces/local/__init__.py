"""Local recoding: a chain of lattice nodes; each row is shown at the first node where its class is large
enough."""
