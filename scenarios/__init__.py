"""What is asked of a model and how its answer is read."""
