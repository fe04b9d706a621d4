"""Estimators for the data frames of Spark."""
