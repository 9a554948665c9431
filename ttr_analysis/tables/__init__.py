"""A map and its rules as flat arrays: the only door from names to numbers."""

from ttr_analysis.tables.games import game_tables
from ttr_analysis.tables.maps import Ints, MapTables, TicketTables, map_tables, ticket_tables

__all__ = ["Ints", "MapTables", "TicketTables", "game_tables", "map_tables", "ticket_tables"]
