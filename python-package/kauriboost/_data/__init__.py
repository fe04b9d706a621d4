"""Tables to learn from: accepted user data and their conversion for the library."""
