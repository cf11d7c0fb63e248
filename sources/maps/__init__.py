"""Files of mind-map programs, read into one model; docs/maps.md says what each format maps to."""
