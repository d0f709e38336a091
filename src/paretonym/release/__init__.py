"""The chosen point made real: rows, manifest, and what anyone can check about them."""
