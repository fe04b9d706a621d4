"""Forests that other libraries learnt, as models of ours."""
