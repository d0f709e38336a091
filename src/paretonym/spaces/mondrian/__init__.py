"""Parts: recursive splits of the rows, as long as every part keeps what is required of it (Mondrian)."""
