"""Cases of speed_table.py, their data, and the libraries that take part."""
