"""Base: what knows no table. Errors, files, state, threads and budgets, numbers, language."""
