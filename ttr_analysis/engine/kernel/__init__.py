"""
The game on the packed state, compiled: set-up, legal actions, one step.

What cards pay for, what tunnels demand, money and scores are defined in
`rules`; here they are put to work on the state, and here stand the rules of the
course of a game: turns, piles, double routes, the neutral player, the end. All
functions change the state in place and trust their arguments.
"""
