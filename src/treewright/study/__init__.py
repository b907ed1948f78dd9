"""The player study: play, ask, model (the second half of Summerville, Philip & Mateas 2015)."""
