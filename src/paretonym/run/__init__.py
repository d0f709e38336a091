"""The public objects: a study, a saved run, and the folder that holds it."""
