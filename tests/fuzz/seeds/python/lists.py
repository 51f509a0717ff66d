n = list(range(2000))
n.extend(n)
n.extend(n)
for i in range(2000):
    m = max(n) + min(n) + sum(n)
    n + n
    n * 2
    n[i] = m
d = {}
for i in range(500):
    d[i] = n
for i in range(500):
    d.pop(i)
    d.update(d)
    d | d
