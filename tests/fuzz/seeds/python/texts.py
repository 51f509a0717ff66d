t = "abcdefghijklmnopqrstuvwxyz"
t = t + t
t = t + t
t = t + t
a = [t] * 100
a.extend(a)
x = t in t, t == t, t.lower(), f"{t}{t}"
f = lambda a, b, c, d, e, f, g: 0


def g(*x, **y):
    return g(*a, **y)


z = g(*a)
h[i] = 1
a[unknown] = 2
