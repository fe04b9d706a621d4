"""Teachers and sets of distill_compare.py."""
