"""Search: worlds consistent with a seat's knowledge, and games played on from them."""
