import functools
def f(*a, **k):
    return a
g = functools.partial(f, 1, b=2)
g = functools.partial(g, 3, b=4)
g = functools.partial(g, 5)
hidden_size = g(6)
