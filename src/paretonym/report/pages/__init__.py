"""Reports as one page of HTML each: without scripts, without anything from elsewhere, made to be printed."""
