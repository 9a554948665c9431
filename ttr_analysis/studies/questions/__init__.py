"""
Questions about the games of a simulation, answered with 95% confidence intervals.

Every function reads the tables in parts, so a simulation on disk may be larger than
memory. Games on one deal resemble each other, and so do seats of one game: intervals
treat only deals as independent.

A route or ticket can go with winning without causing it: a player who is ahead can
afford more, and good players take good routes.
"""
