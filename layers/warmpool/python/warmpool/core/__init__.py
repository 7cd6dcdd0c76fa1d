"""The decision core: pure functions over own types, standard library only."""
