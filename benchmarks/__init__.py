"""Measurements that are too slow and too unsteady for tests; each prints one table."""
