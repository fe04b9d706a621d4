"""Measurements for the tables of papers and README; see gpu_exact_tables.py, shap_tables.py, real_sets_equality.py."""
