"""Maps: the model, loading and checking of map folders, and conversion to other formats."""
