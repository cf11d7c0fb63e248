"""Where fresh material comes from."""
