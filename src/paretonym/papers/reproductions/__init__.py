"""What the papers printed, measured again."""
