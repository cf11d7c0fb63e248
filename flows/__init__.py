"""The Prefect flows and the command line: the only package that imports Prefect."""
