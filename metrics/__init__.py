"""Pure functions that compare a prediction with a reference."""
