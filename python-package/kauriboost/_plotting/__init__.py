"""Pictures of models and of explanations."""
