"""The tables of papers and README, measured; see gpu_exact_tables.py, shap_tables.py and real_sets_equality.py."""
