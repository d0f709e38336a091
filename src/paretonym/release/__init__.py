"""The chosen point made real: rows, their manifest, and what anyone can measure again."""
