"""What quality.py is made of."""
