"""A config"""
import time
n_layer = 12; n_head: int = 12
n_embd = 64 * n_head
lr, wd = 6e-4, 1e-1
betas = (0.9, 0.95)
name = 'mini' "-gpt" r'\x'
eval_only = False
if eval_only:
    n_layer = 2
def f():
    n_layer = 3
x = -n_layer // 5 ** 2 % 3 \
    + (1)
