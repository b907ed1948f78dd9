"""Stories: a library of actions, a set-up and goals in, a believable story out (Magnuson 4)."""
