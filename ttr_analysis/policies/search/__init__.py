"""Search: worlds that agree with a seat's knowledge, and games played on from them."""
