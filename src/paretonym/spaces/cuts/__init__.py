"""The space of cuts: every quasi-identifier's ordered domain cut into groups, one bit for each gap."""
