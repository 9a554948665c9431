"""
What the explorers show, as functions of what is asked.

Plain values go in, as traits hold them; plain JSON comes out. Nothing here
knows of a browser, and nothing is computed here: the numbers are those of
`ttr_analysis.analysis`.
"""
