"""Beside XGBoost: in the place of its library, and under its names."""
