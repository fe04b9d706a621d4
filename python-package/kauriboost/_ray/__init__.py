"""Training and prediction with Ray."""
