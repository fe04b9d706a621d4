"""Training one model on the workers of a Dask cluster."""
