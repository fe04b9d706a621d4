"""Plots of models and of explanations."""
