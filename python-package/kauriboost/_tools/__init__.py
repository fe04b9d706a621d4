"""Tools for use beside XGBoost: replacing its library, and importing under its names."""
