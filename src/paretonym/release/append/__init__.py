"""Adding rows to a release: new rows recoded as the old release shows them."""
