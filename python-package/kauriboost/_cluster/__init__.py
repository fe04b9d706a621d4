"""Rows of one rank of a cluster, whatever engine the cluster has."""
