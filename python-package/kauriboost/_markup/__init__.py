"""HTML, for pages and notebooks."""
