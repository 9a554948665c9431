"""The definition of the rules: typed data in `ruleset`, small pure functions beside it."""
