"""Estimates."""
def estimated(case):
    return ()
