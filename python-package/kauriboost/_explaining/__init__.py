"""Contributions of features to predictions, and the loss of quality without a feature."""
