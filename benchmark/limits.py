"""Limits that hold for a kind of structure whoever wrote it: a source, a person or a model."""

TREE_DEPTH = 64
"""Most levels of a tree; stored JSON takes two levels of nesting for each."""

TREE_NODES = 1_000
"""Most nodes of a tree."""

GRAPH_NODES = 2_000
"""Most nodes of a graph, as the renderer has it."""

GRAPH_EDGES = 5_000
"""Most edges of a graph, as the renderer has it."""

GRAPH_TEXT = 16_384
"""Most characters of one label or name; Graphviz reads no longer ones."""

GRAPH_TEXTS = 200_000
"""Most characters of all names and labels of a graph together."""

GRAPH_DEPTH = 100
"""Most levels of subgraphs in each other."""
