"""The lattice of full-domain generalization: one level of its hierarchy for each quasi-identifier."""
