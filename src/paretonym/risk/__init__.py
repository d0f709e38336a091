"""What an attacker could do with a release: re-identification and attribute disclosure, in numbers."""
