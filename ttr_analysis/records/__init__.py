"""Playing and recording games: `Game`, and records to save, load, check, replay, and view from one seat."""
