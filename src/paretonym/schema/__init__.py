"""What columns mean: roles, hierarchies and their builders, the schema file."""
