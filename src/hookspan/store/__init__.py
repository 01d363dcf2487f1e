"""The embedded default: the trail in one SQLite file of the user's."""
