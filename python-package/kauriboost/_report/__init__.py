"""One page of HTML about a model."""
