"""Limits that hold for a kind of structure whoever wrote it: a source, a person or a model."""

TREE_DEPTH = 64
"""Most levels of a tree; stored JSON takes two levels of nesting for each."""

TREE_NODES = 1_000
"""Most nodes of a tree."""
