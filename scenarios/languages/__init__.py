"""How text in one notation is read and repaired."""
