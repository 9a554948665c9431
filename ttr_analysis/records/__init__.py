"""Records of games: written, read, checked, replayed, and as one seat saw them."""
