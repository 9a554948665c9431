"""Whole games by the full rules: states, actions, records, and the compiled kernel that plays them."""
