"""The spaces of possible releases, and which rows are left out of one."""
