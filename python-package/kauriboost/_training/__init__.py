"""What happens around the rounds: the loop, cross-validation, callbacks and checkpoints."""
