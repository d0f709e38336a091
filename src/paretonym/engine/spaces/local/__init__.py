"""Local recoding: classes of distinct rows, each of which shows the smallest sets that contain it."""
