"""Training: the loop of rounds, cross-validation, callbacks and checkpoints."""
