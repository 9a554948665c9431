"""Maps: the model, loading and checking of map folders, and other forms of a map."""
