"""What the features add to predictions, and how much worse a model is without one."""
