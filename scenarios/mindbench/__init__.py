"""The five tasks of MindBench (arXiv 2407.02842), generated from any tree."""
