"""
The game on the packed state, compiled: set-up, legal actions, one step.

What a rule says stands in `rules`; here it is put to work on the state. All
functions change the state in place and trust their arguments.
"""
