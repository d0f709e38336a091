"""Research: papers and methods that plug in from outside."""
