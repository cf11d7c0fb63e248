"""FlowCE (arXiv 2406.10057): five kinds of questions about flowcharts, as scenarios."""
