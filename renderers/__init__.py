"""Structure to picture, in sandboxes: the same road for truth and answer."""
