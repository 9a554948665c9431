"""A player who plans: keeps good tickets, builds the cheapest network for them, and fills up with long routes."""
