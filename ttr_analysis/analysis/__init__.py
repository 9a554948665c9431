"""The questions that players and teachers ask of a map: paths, payments, tunnels, draws, tickets, structure."""
