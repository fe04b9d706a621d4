"""Conversion of forests that other libraries trained to our models."""
