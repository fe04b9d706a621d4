"""Cases of gpu_hist.py, and the worker that runs them for one library in its own process."""
