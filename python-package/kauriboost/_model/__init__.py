"""Boosters: parameters, training rounds, predictions, files and dumps."""
