"""Tables and figures of the papers, made again: measured beside printed."""
