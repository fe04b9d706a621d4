"""What gpu_hist.py measures, and how each library does it in a process of its own."""
