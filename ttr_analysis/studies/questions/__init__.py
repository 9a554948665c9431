"""
What the games of a simulation show, with 95% confidence intervals.

Every function reads the tables part by part, so that a simulation on disk may
be larger than memory. Games of one deal resemble each other, and so do seats
of one game: intervals take only deals to be independent.

A route or ticket that goes along with winning need not be the cause: a player
who is ahead can afford more, and good players take good routes.
"""
