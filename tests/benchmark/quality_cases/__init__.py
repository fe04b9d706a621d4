"""Data sets, libraries and statistics of quality.py."""
