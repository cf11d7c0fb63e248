"""What a benchmark is: records, outcomes, the store, snapshots, names and settings."""
