"""Games played and kept: `Game`, and its record: written, read, checked, replayed, and seen from one seat."""
