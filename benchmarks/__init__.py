"""Speed measurements, each with the bare driver beside it in the same run: ``make bench``."""
