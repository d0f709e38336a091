"""What a release protects and what it costs: plain functions of counts, and one card for each."""
