"""Many evaluations in a loop, executed with the functions of ``Splitting`` (specialise.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs


def batch(states, t, out, points, values):
    """``values[i] = f(points[i])``."""
    s = states[0]
    for i in range(len(points)):
        for j in range(points.shape[1]):
            s.x[j] = points[i, j]
        value(s, t, out)
        values[i] = out[0]
