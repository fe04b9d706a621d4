"""Exported models: compiles C to WebAssembly, and runs the test that every exported file carries."""
