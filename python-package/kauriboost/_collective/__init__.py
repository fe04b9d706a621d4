"""What ranks that learn one model together say to each other, and ways to say it."""
