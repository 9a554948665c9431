"""The sections of a study, each computed from what the map holds."""
