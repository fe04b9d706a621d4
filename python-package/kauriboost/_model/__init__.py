"""Boosters: parameters, rounds of training, predictions, files and dumps."""
