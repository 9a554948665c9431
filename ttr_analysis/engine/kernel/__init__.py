"""
The compiled game on the packed state: setup, legal actions, one step.

`rules` defines payments, tunnels, money and scores; this package applies them to the
state, and adds the course of a game: turns, piles, double routes, the neutral player,
the end. All functions change the state in place and trust their arguments.
"""
