"""How a model is asked."""
