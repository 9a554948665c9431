"""Planner: keeps good tickets, builds the cheapest network for them, and adds long routes."""
