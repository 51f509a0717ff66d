"""A PyTorch with a GPU that is none: tensors have sizes and strides alone, kernels take the time that they should.

What the documentation of PyTorch, DeepGEMM, flash-attn and Transformer Engine asks of each call is checked here, and
that work is warmed up, captured and timed in their order. It tells nothing of a real device.
"""
import contextlib
import math
import random
import sys
import types

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "float8_e4m3fn": 1, "float8_e8m0fnu": 1, "float4_e2m1fn_x2": 1,
         "uint8": 1, "int8": 1, "int32": 4}  # fmt: skip
FLOPS_PER_US = 4e8
BYTES_PER_US = 2e6
LAUNCH_US = 3.0


class Tensor:
    def __init__(self, shape, dtype, strides=None, grad=False):
        assert all(isinstance(size, int) and size > 0 for size in shape), shape
        assert dtype in BYTES, dtype
        self.shape, self.dtype, self.requires_grad = tuple(shape), dtype, grad
        self.strides = strides or tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))

    def numel(self):
        return math.prod(self.shape)

    def stride(self, dim):
        return self.strides[dim]

    def to(self, dtype):
        return Tensor(self.shape, dtype)

    def view(self, dtype):
        assert BYTES[dtype] == BYTES[self.dtype], "a view as another type has as many bytes"
        return Tensor(self.shape, dtype, self.strides)

    def transpose(self, a, b):
        shape, strides = list(self.shape), list(self.strides)
        shape[a], shape[b] = shape[b], shape[a]
        strides[a], strides[b] = strides[b], strides[a]
        return Tensor(shape, self.dtype, tuple(strides))

    def t(self):
        assert len(self.shape) == 2
        return self.transpose(0, 1)

    def __mul__(self, number):
        return Tensor(self.shape, self.dtype)

    def requires_grad_(self, on=True):
        self.requires_grad = on
        return self

    def repeat_interleave(self, times, dim):
        shape = list(self.shape)
        shape[dim] *= times
        repeated = Tensor(shape, self.dtype)
        repeated.source = self
        return repeated


def row_major(tensor):
    return tensor.strides[-1] == 1 and tensor.strides[-2] >= tensor.shape[-1]


def column_major(tensor):
    return tensor.strides[-2] == 1 and tensor.strides[-1] >= tensor.shape[-2]


class Gpu:
    """The clock of the device, and what was launched on it."""

    def __init__(self):
        self.now_us = 0.0
        self.capturing = None
        self.warm = set()
        self.calls = {}
        self.generator = random.Random(3)

    def launch(self, name, key, flops, moved, graph=True):
        if self.capturing is not None:
            assert graph, f"{name} cannot be captured"
            assert (name, key) in self.warm, f"{name} is captured before it was ever run"
        self.warm.add((name, key))
        self.calls[name] = self.calls.get(name, 0) + 1
        took_us = max(flops / FLOPS_PER_US, moved / BYTES_PER_US)
        if self.capturing is not None:
            self.capturing.append(took_us)
        else:
            self.run(took_us + LAUNCH_US)

    def run(self, took_us):
        self.now_us += took_us * math.exp(self.generator.gauss(0, 0.002))


def make(name="NVIDIA H100 80GB HBM3", sm_count=132, memory=85e9, version="2.10.0", lacks=()):
    """Modules to be put into sys.modules, and the GPU behind them. `lacks`: what this PyTorch has not."""
    gpu = Gpu()
    torch = types.ModuleType("torch")
    torch.__version__ = version
    torch.version = types.SimpleNamespace(cuda="12.8", hip=None)
    for dtype in BYTES:
        setattr(torch, dtype, dtype)

    def placed(device):
        assert device == "cuda", f"a tensor on {device}"

    def of(*size, device=None, dtype="float32"):
        placed(device)
        size = size[0] if size and isinstance(size[0], (tuple, list)) else size
        return Tensor(size, dtype)

    torch.randn = torch.ones = torch.empty = of
    torch.arange = lambda begin, end, device, dtype: of(end - begin, device=device, dtype=dtype)
    torch.full = lambda size, value, device, dtype: of(size, device=device, dtype=dtype)
    torch.randint = lambda low, high, size, device, dtype: of(size, device=device, dtype=dtype)
    torch.empty_like = torch.randn_like = lambda tensor: Tensor(tensor.shape, tensor.dtype)
    torch.manual_seed = lambda seed: None
    torch.no_grad = contextlib.nullcontext
    torch.backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=False)))

    def moved(*tensors):
        return sum(tensor.numel() * BYTES[tensor.dtype] for tensor in tensors)

    def multiply(name, a, b, out, k=None, graph=True):
        *_, m, k_stored = a.shape
        k = k or k_stored
        batch = math.prod(out.shape[:-2])
        gpu.launch(name, (a.shape, b.shape, a.strides, b.strides), 2 * batch * out.shape[-2] * out.shape[-1] * k,
                   moved(a, b, out), graph)  # fmt: skip
        return out

    def matmul(a, b, out):
        assert a.dtype == b.dtype == out.dtype and a.shape[-1] == b.shape[-2]
        assert out.shape == a.shape[:-1] + b.shape[-1:], (a.shape, b.shape, out.shape)
        return multiply("matmul", a, b, out)

    def add(a, b, out):
        assert a.shape == b.shape == out.shape
        gpu.launch("add", a.shape, 0, moved(a, b, out))
        return out

    def check_scaled(a, b, scale_a, scale_b):
        assert row_major(a) and column_major(b), "cuBLAS multiplies fp8 in one layout alone"
        (m, k), (k_too, n) = a.shape, b.shape
        assert k == k_too and n % 16 == 0 and k % 16 == 0, (a.shape, b.shape)
        if scale_a.dtype == "float32":
            sizes = (scale_a.shape, scale_b.shape)
            assert sizes == ((1,), (1,)) or sizes == ((m, 1), (1, n)), sizes
            assert a.dtype == b.dtype == "float8_e4m3fn"
            return
        fp4 = a.dtype == "float4_e2m1fn_x2"
        block = {"float8_e8m0fnu": 32, "float8_e4m3fn": 16}[scale_a.dtype]
        assert fp4 or block == 32
        elements = k * (2 if fp4 else 1)
        for scale, rows in ((scale_a, m), (scale_b, n)):
            expected = math.ceil(rows / 128) * 128 * math.ceil(elements // block / 4) * 4
            assert scale.numel() == expected and len(scale.shape) == 1, (scale.shape, expected)

    def scaled_mm(a, b, scale_a, scale_b, out_dtype):
        check_scaled(a, b, scale_a, scale_b)
        assert not (a.dtype == "float4_e2m1fn_x2" and scale_a.dtype == "float8_e8m0fnu"), "that is told by recipes"
        out = Tensor((a.shape[0], b.shape[1]), out_dtype)
        return multiply("_scaled_mm " + scale_a.dtype, a, b, out)

    def scaled_mm_by_recipe(a, b, scale_a, scale_recipe_a, scale_b, scale_recipe_b, swizzle_a, swizzle_b, output_dtype):
        assert scale_recipe_a == scale_recipe_b == "1x32" and swizzle_a == swizzle_b == "32_4_4"
        check_scaled(a, b, scale_a, scale_b)
        return multiply("scaled_mm", a, b, Tensor((a.shape[0], b.shape[1]), output_dtype))

    def grouped_mm(a, b, offs):
        assert a.dtype == b.dtype == "bfloat16" and offs.dtype == "int32" and len(offs.shape) == 1
        groups = offs.shape[0]
        assert len(a.shape) == 2
        if len(b.shape) == 3:
            assert b.shape[0] == groups and a.shape[1] == b.shape[1] and row_major(a)
            return multiply("_grouped_mm", a, b, Tensor((a.shape[0], b.shape[2]), "bfloat16"))
        assert a.shape[1] == b.shape[0] and column_major(a) and row_major(b)
        return multiply("_grouped_mm 2d", a, b, Tensor((groups, a.shape[0], b.shape[1]), "bfloat16"), a.shape[1] // groups)

    def scaled_grouped_mm(a, b, scale_a, scale_b, offs, out_dtype):
        assert a.dtype == b.dtype == "float8_e4m3fn" and row_major(a) and column_major(b)
        assert scale_a.shape == a.shape[:1] and scale_b.shape == (b.shape[0], b.shape[2]) and offs.shape == b.shape[:1]
        return multiply("_scaled_grouped_mm", a, b, Tensor((a.shape[0], b.shape[2]), out_dtype))

    def int_mm(a, b):
        assert a.dtype == b.dtype == "int8"
        return multiply("_int_mm", a, b, Tensor((a.shape[0], b.shape[1]), "int32"))

    torch.matmul, torch.add, torch._scaled_mm, torch._int_mm = matmul, add, scaled_mm, int_mm
    torch._grouped_mm, torch._scaled_grouped_mm = grouped_mm, scaled_grouped_mm

    def attended(name, q, k, v, heads, rows):
        assert q.dtype == k.dtype == v.dtype and k.shape[rows] == v.shape[rows] and q.shape[-1] == k.shape[-1]
        out = Tensor(q.shape[:-1] + v.shape[-1:], q.dtype, grad=q.requires_grad)
        flops = 2 * q.shape[0] * q.shape[heads] * q.shape[rows] * k.shape[rows] * (q.shape[-1] + v.shape[-1])
        gpu.launch(name, (q.shape, k.shape, v.shape), flops, moved(q, k, v, out))
        out.made_of = (q, k, v, flops)
        return out

    def scaled_dot_product_attention(q, k, v, is_causal=False, **more):
        if tuple(map(int, version.split(".")[:2])) < (2, 5) and more:
            raise TypeError("an unexpected keyword argument")
        assert k.shape[1] == v.shape[1] and (q.shape[1] == k.shape[1] or more.get("enable_gqa")), "heads"
        return attended("sdpa", q, k, v, 1, 2)

    torch.nn = types.ModuleType("torch.nn")
    torch.nn.functional = types.SimpleNamespace(
        scaled_dot_product_attention=scaled_dot_product_attention,
        scaled_mm=scaled_mm_by_recipe,
        ScalingType=types.SimpleNamespace(BlockWise1x32="1x32"),
        SwizzleType=types.SimpleNamespace(SWIZZLE_32_4_4="32_4_4"),
    )

    def grad(out, inputs, gradient, retain_graph):
        assert retain_graph and gradient.shape == out.shape and all(each.requires_grad for each in inputs)
        assert tuple(inputs) == tuple(getattr(each, "source", each) for each in out.made_of[:3])
        gpu.launch("backward", out.shape, 2.5 * out.made_of[3], moved(*inputs, out, gradient), graph=False)

    torch.autograd = types.SimpleNamespace(grad=grad)

    class Stream:
        def wait_stream(self, other):
            assert isinstance(other, Stream)

    current = Stream()

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing
            self.at_us = None

        def record(self):
            assert gpu.capturing is None
            self.at_us = gpu.now_us

        def synchronize(self):
            assert self.at_us is not None

        def elapsed_time(self, end):
            return (end.at_us - self.at_us) / 1e3

    class CUDAGraph:
        def replay(self):
            gpu.run(LAUNCH_US)
            for took_us in self.kernels:
                gpu.run(took_us)

    @contextlib.contextmanager
    def graph(target):
        assert gpu.capturing is None
        gpu.capturing = []
        yield
        target.kernels, gpu.capturing = gpu.capturing, None
        assert target.kernels, "an empty graph"

    properties = types.SimpleNamespace(name=name, multi_processor_count=sm_count, total_memory=memory,
                                       L2_cache_size=50 * 2**20)  # fmt: skip
    torch.cuda = types.SimpleNamespace(
        is_available=lambda: name is not None,
        get_device_properties=lambda index: properties,
        mem_get_info=lambda: (int(memory * 0.9), int(memory)),
        synchronize=lambda: None,
        empty_cache=lambda: None,
        current_stream=lambda: current,
        stream=lambda stream: contextlib.nullcontext(),
        Stream=Stream,
        Event=Event,
        CUDAGraph=CUDAGraph,
        graph=graph,
    )

    deep_gemm = types.ModuleType("deep_gemm")
    deep_gemm.__version__ = "2.3"

    def fp8_gemm_nt(left, right, out):
        (a, scale_a), (b, scale_b) = left, right
        assert row_major(a) and row_major(b) and a.shape[1] == b.shape[1] and out.shape == (a.shape[0], b.shape[0])
        assert scale_a.shape == (a.shape[0], -(-a.shape[1] // 128))
        assert scale_b.shape == (-(-b.shape[0] // 128), -(-b.shape[1] // 128))
        return multiply("fp8_gemm_nt", a, b, out)

    def m_grouped_fp8_gemm_nt_masked(left, right, out, counts, expected):
        (a, scale_a), (b, scale_b) = left, right
        groups, rows, k = a.shape
        assert b.shape[0] == groups and b.shape[2] == k and out.shape == (groups, rows, b.shape[1])
        assert scale_a.shape == (groups, rows, -(-k // 128)) and scale_b.shape == (groups, -(-b.shape[1] // 128), -(-k // 128))
        assert counts.shape == (groups,) and counts.dtype == "int32" and 0 < expected <= rows
        return multiply("m_grouped_fp8_gemm_nt_masked", a, b, out)

    deep_gemm.fp8_gemm_nt, deep_gemm.m_grouped_fp8_gemm_nt_masked = fp8_gemm_nt, m_grouped_fp8_gemm_nt_masked

    flash_attn = types.ModuleType("flash_attn")
    flash_attn.__version__ = "2.8.3"

    def flash_attn_func(q, k, v, causal=False, window_size=(-1, -1)):
        assert q.shape[2] % k.shape[2] == 0 and q.shape[-1] == v.shape[-1] and q.dtype in ("bfloat16", "float16")
        assert len(window_size) == 2
        return attended("flash_attn", q, k, v, 2, 1)

    flash_attn.flash_attn_func = flash_attn_func

    engine = types.ModuleType("transformer_engine")
    engine.__version__ = "2.8.0"
    engine.pytorch = types.ModuleType("transformer_engine.pytorch")
    within = []

    class Linear:
        def __init__(self, width, out, bias, params_dtype, device):
            placed(device)
            self.weight, self.is_quantized = Tensor((out, width), params_dtype), False

        def __call__(self, x, is_first_microbatch):
            assert within, "it multiplies bf16 outside of fp8_autocast"
            assert is_first_microbatch or self.is_quantized
            self.is_quantized = True
            return multiply("te", x, self.weight.t(), Tensor((x.shape[0], self.weight.shape[0]), "bfloat16"), graph=False)

    @contextlib.contextmanager
    def fp8_autocast(enabled):
        within.append(enabled)
        yield
        within.pop()

    engine.pytorch.Linear, engine.pytorch.fp8_autocast = Linear, fp8_autocast

    for each in lacks:
        if hasattr(torch, each):
            delattr(torch, each)
        elif hasattr(torch.nn.functional, each):
            delattr(torch.nn.functional, each)
    modules = {"torch": torch, "torch.nn": torch.nn, "deep_gemm": deep_gemm, "flash_attn": flash_attn,
               "transformer_engine": engine, "transformer_engine.pytorch": engine.pytorch}  # fmt: skip
    return {key: None if key.split(".")[0] in lacks else module for key, module in modules.items()}, gpu


@contextlib.contextmanager
def installed(modules):
    """A module that is None is one that cannot be imported."""
    before = {key: sys.modules.get(key) for key in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for key, module in before.items():
            if module is None:
                sys.modules.pop(key, None)
            else:
                sys.modules[key] = module
