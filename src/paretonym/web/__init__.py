"""The explorer: a local web page to look at the trade-off, pick a release and take it home."""
