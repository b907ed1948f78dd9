"""Go as an engine: a game, a player that searches, the Go Text Protocol, SGF, matches."""
