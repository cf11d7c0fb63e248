"""Leaderboards and the HTML report."""
