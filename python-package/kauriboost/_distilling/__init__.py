"""Distilling: trees that copy any slow model."""
