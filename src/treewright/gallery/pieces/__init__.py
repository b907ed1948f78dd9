"""One module per piece of the gallery; those not named here come after, by name."""

ORDER = ("tictactoe", "nim", "connect-four", "samegame", "go", "map", "function", "experiment")
