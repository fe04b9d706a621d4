"""Tables to learn from: what users pass for them, and how the library takes it."""
