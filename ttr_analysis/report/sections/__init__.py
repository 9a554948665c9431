"""The sections of a study, each computed if it applies to the map."""
