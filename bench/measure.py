#!/usr/bin/env python3
"""Measures on this machine what shapelint's findings depend on, before and after each proposal. Needs PyTorch alone.

    python3 prove.py -o result.json                the GPU that the findings are about
    python3 prove.py --device cpu -o result.json   tries the script out; the figures are a CPU's, and say so

`shapelint prove` wrote this file with its plan in it; `shapelint prove --read result.json` reads what it writes.

A plan of sweeps (`shapelint prove --sweeps`) has no findings: each kernel is timed alone, for who wants to give an hour.

The two sides of a change are timed in turn, in one process, so that clocks and temperature drift for both alike. Each
runs in a CUDA graph on buffers that together are four times the L2 cache, filled with random numbers (equal ones draw
less power and run faster). Rounds are repeated until the 95 % interval of the ratio is narrow, or the time is spent.
What this PyTorch or this device cannot do is left out and named.
"""
import argparse
import json
import math
import subprocess
import sys
import time

PLAN = None  # shapelint writes the plan here

RESULT_VERSION = 1
NARROW = 0.003  # half width of the ratio's interval at which a pair is known well enough
FEWEST_ROUNDS = 10
MOST_ROUNDS = 400
TRIMMED = 0.1  # of the rounds, at each end: an interrupt of the host says nothing of a kernel
ROUND_S = 0.002  # that one side of a round runs at least
CPU_FLOPS_LIMIT = 2e9  # one core, and whatever BLAS there is, would take seconds
MOST_COPIES = 64
LONGER_THAN_A_LAUNCH_US = 300  # a kernel that no graph can hold, so that the host is ahead of it
FEWEST_CALLS = 8  # of a CUDA graph, whose start takes time, too
LONGEST_PASS_BYTES = 3 * 2**28
WHOLES_SHARE = 0.4  # of the budget, for layers and steps run as a whole
LEAST_PASSES = 8  # of a whole step that must fit into its share of the budget, both sides; else a layer is run
SWEPT_S = 0.04  # of measuring per kernel of a sweep
TIME_SPENT = "the time was spent"
NVIDIA_SMI = ("clocks.sm", "clocks.mem", "power.draw", "temperature.gpu", "clocks_throttle_reasons.active")
OF_NEW_DRIVERS = {"clocks_throttle_reasons.active": "clocks_event_reasons.active"}
THROTTLING = {0x8: "hardware slowdown", 0x20: "software thermal", 0x40: "hardware thermal", 0x80: "power brake"}


class Unavailable(Exception):
    """What cannot be measured here, and why."""


# Statistics.


def t_quantile(freedom):
    """The 97.5 % quantile of Student's t: its expansion around the normal one, to 1 % from 3 degrees of freedom on."""
    z = 1.959964
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / freedom ** (i + 1) for i, term in enumerate(terms))


def trimmed_interval(values):
    """Trimmed mean and the half width of its 95 % interval (Yuen: the variance is that of the winsorized sample)."""
    ordered = sorted(values)
    cut = int(TRIMMED * len(ordered))
    kept = ordered[cut : len(ordered) - cut]
    mean = sum(kept) / len(kept)
    if len(kept) < 2:
        return mean, math.inf
    winsorized = [kept[0]] * cut + kept + [kept[-1]] * cut
    middle = sum(winsorized) / len(winsorized)
    variance = sum((value - middle) ** 2 for value in winsorized) / (len(winsorized) - 1)
    error = math.sqrt(variance / len(values)) / (len(kept) / len(values))
    return mean, t_quantile(len(kept) - 1) * error


# The device.


class Device:
    """A GPU or the CPU: what it is called, and how a call is timed on it."""

    def __init__(self, torch, kind):
        self.torch = torch
        self.kind = kind
        self.sm_count = 0
        self.memory_gb = 0
        self.cache_bytes = 2**20
        if kind == "cuda":
            if not torch.cuda.is_available():
                raise SystemExit("error: PyTorch sees no GPU on this machine; `--device cpu` tries the script out")
            properties = torch.cuda.get_device_properties(0)
            self.name = properties.name
            self.sm_count = properties.multi_processor_count
            self.memory_gb = properties.total_memory / 1e9
            self.cache_bytes = getattr(properties, "L2_cache_size", 0) or 64 * 2**20
        else:
            torch.set_num_threads(1)  # others may use the machine
            self.name = cpu_name()

    def free_bytes(self):
        if self.kind == "cuda":
            return self.torch.cuda.mem_get_info()[0]
        return 2**30

    def synchronize(self):
        if self.kind == "cuda":
            self.torch.cuda.synchronize()

    def captured(self, calls):
        """A call of all of them as one CUDA graph."""
        torch = self.torch
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):  # libraries make their workspaces
            for call in calls[:3]:
                call()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for call in calls:
                call()
        return graph.replay

    def timer(self, calls, graph=True):
        """A function of a number of repeats that returns microseconds per call of `calls`, run one after another."""
        if self.kind != "cuda":
            return host_timer(calls)
        torch = self.torch
        replay = self.captured(calls) if graph else None
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

        def timed(repeats):
            begin.record()
            for _ in range(repeats):
                if replay is not None:
                    replay()
                else:
                    for call in calls:
                        call()
            end.record()
            end.synchronize()
            return begin.elapsed_time(end) * 1e3 / (repeats * len(calls))

        return timed

    def sequence_timer(self, calls):
        """A function of a number of repeats that returns microseconds of all `calls` (with whether a graph can hold
        them), one after another. What no graph can hold is launched between graphs."""
        pieces = []
        for call, graph in calls:
            if self.kind == "cuda" and graph and pieces and pieces[-1][1]:
                pieces[-1][0].append(call)
            else:
                pieces.append(([call], self.kind == "cuda" and graph))
        runs = []
        for piece, graph in pieces:
            runs += [self.captured(piece)] if graph else piece
        timed = self.timer(runs, graph=False)
        return lambda repeats: timed(repeats) * len(runs)


def host_timer(calls):
    def timed(repeats):
        begin = time.perf_counter()
        for _ in range(repeats):
            for call in calls:
                call()
        return (time.perf_counter() - begin) * 1e6 / (repeats * len(calls))

    return timed


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return "CPU"


def words(name):
    return set("".join(c if c.isalnum() else " " for c in name.lower()).split()) - {"nvidia", "amd", "tesla"}


def is_expected(device, gpu):
    """Whether the device is one of the names of the profile, with as many SMs and as much memory."""
    found = words(device.name)
    names = [words(name) for name in gpu["names"]]
    named = any(name and name <= found for name in names)
    on_a_board = "pcie" in found and any(word.startswith("sxm") for name in names for word in name)
    # Sizes are told in GB or in GiB.
    alike = not gpu["memory_gb"] or abs(device.memory_gb / gpu["memory_gb"] - 1) < 0.15
    return named and not on_a_board and alike and (not gpu["sm_count"] or device.sm_count == gpu["sm_count"])


def nvidia_smi(fields):
    """Values of fields as text, or none where nvidia-smi is not there."""
    try:
        done = subprocess.run(
            ["nvidia-smi", "-i", "0", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    return dict(zip(fields, (value.strip() for value in done.stdout.splitlines()[0].split(","))))


def clocks():
    """Clocks, power, temperature and what slows the GPU down, whichever way this driver calls it."""
    sample = nvidia_smi(NVIDIA_SMI)
    if sample:
        return sample
    sample = nvidia_smi([OF_NEW_DRIVERS.get(field, field) for field in NVIDIA_SMI])
    return dict(zip(NVIDIA_SMI, sample.values()))


def throttled(sample):
    try:
        bits = int(sample.get("clocks_throttle_reasons.active", "0"), 16)
    except ValueError:
        return []
    return [reason for bit, reason in THROTTLING.items() if bits & bit]


# Kernels: each function returns what makes one call on fresh buffers, the bytes that such a call touches, whether it
# can be part of a CUDA graph, and how many such calls the kernel is, where not one.

DTYPES = {"fp32": "float32", "tf32": "float32", "fp16": "float16", "bf16": "bfloat16"}


def dtype_of(torch, name):
    if name not in DTYPES:
        raise Unavailable(f"{name} has no PyTorch type that multiplies")
    return getattr(torch, DTYPES[name])


def random(torch, device, size, dtype):
    return torch.randn(*size, device=device.kind, dtype=torch.float32).to(dtype)


def gemm(torch, device, kernel):
    batch, m, n, k = (kernel[key] for key in ("batch", "m", "n", "k"))
    if device.kind == "cpu" and 2 * batch * m * n * k > CPU_FLOPS_LIMIT:
        raise Unavailable("too large for a CPU")
    if kernel["dtype"] in ("fp8", "fp4"):
        return scaled_gemm(torch, device, kernel)
    if kernel["dtype"] == "int8":
        return int8_gemm(torch, device, kernel)
    dtype = dtype_of(torch, kernel["dtype"])
    if device.kind == "cpu" and kernel["dtype"] == "fp16":
        raise Unavailable("a CPU multiplies no fp16")
    layout = kernel["layout"]
    if kernel.get("grouped") and device.kind == "cuda" and dtype == torch.bfloat16 and hasattr(torch, "_grouped_mm"):
        return grouped_gemm(torch, device, kernel)
    lead = (batch,) if batch > 1 else ()

    def make():
        # Storage is row-major; a transposed view makes the other dimension contiguous.
        a = random(torch, device, lead + ((m, k) if layout in ("tn", "nn") else (k, m)), dtype)
        b = random(torch, device, lead + ((n, k) if layout in ("tn", "tt") else (k, n)), dtype)
        if layout not in ("tn", "nn"):
            a = a.transpose(-1, -2)
        if layout in ("tn", "tt"):
            b = b.transpose(-1, -2)
        c = torch.empty(*lead, m, n, device=device.kind, dtype=dtype)
        return lambda: torch.matmul(a, b, out=c)

    element = 4 if dtype == torch.float32 else 2
    return make, element * batch * (m * k + k * n + m * n), True


def grouped_gemm(torch, device, kernel):
    """Experts' products in one call, as training frameworks run them. All experts have as many rows."""
    experts, m, n, k = (kernel[key] for key in ("batch", "m", "n", "k"))
    layout, dtype = kernel["layout"], torch.bfloat16
    contracts_tokens = layout in ("nt", "tt")  # a gradient of weights: the experts' tokens lie one after another

    def make():
        rows = k if contracts_tokens else m
        ends = torch.arange(1, experts + 1, device=device.kind, dtype=torch.int32) * rows
        if contracts_tokens:
            a = random(torch, device, (experts * k, m), dtype).t()
            b = random(torch, device, (experts * k, n), dtype)
        else:
            a = random(torch, device, (experts * m, k), dtype)
            b = random(torch, device, (experts, n, k) if layout == "tn" else (experts, k, n), dtype)
            if layout == "tn":
                b = b.transpose(-1, -2)
        return lambda: torch._grouped_mm(a, b, offs=ends)

    return make, 2 * experts * (m * k + k * n + m * n), True


def scaled_gemm(torch, device, kernel):
    """Products of fp8 and fp4, whose operands come with scales."""
    m, n, k, recipe = (kernel[key] for key in ("m", "n", "k", "recipe"))
    if not hasattr(torch, "float8_e4m3fn") or not hasattr(torch, "_scaled_mm"):
        raise Unavailable(f"PyTorch {torch.__version__} has no {kernel['dtype']}")
    if device.kind == "cpu":
        raise Unavailable(f"a CPU multiplies no {kernel['dtype']}")
    if kernel["batch"] > 1:
        return scaled_grouped_gemm(torch, device, kernel)
    if recipe == "block128":
        return deep_gemm(torch, device, m, n, k)
    if recipe in ("mxfp8", "mxfp4", "nvfp4"):
        return micro_scaled_gemm(torch, device, m, n, k, recipe)
    if recipe == "none" and kernel["layout"] == "tn" and kernel.get("predicted_us", 0) > LONGER_THAN_A_LAUNCH_US:
        quantized = transformer_engine(torch, device, m, n, k)
        if quantized:
            return quantized
    fp8 = torch.float8_e4m3fn

    def make():
        a = random(torch, device, (m, k), fp8)
        b = random(torch, device, (n, k), fp8).t()  # the only layout of fp8 before Blackwell, whatever the pass
        scales = [(1,), (1,)] if recipe != "row" else [(m, 1), (1, n)]
        scale_a, scale_b = (torch.ones(*size, device=device.kind) for size in scales)
        return lambda: torch._scaled_mm(a, b, scale_a=scale_a, scale_b=scale_b, out_dtype=torch.bfloat16)

    return make, m * k + n * k + 2 * m * n, True


def micro_scaled_gemm(torch, device, m, n, k, recipe):
    """A scale for every 16 or 32 elements along k, stored in tiles of 128 x 4, as cuBLAS reads them on Blackwell."""
    block = 16 if recipe == "nvfp4" else 32
    packed = 1 if recipe == "mxfp8" else 2  # elements of a byte
    elements = "float8_e4m3fn" if recipe == "mxfp8" else "float4_e2m1fn_x2"
    if not hasattr(torch, elements) or not hasattr(torch, "float8_e8m0fnu"):
        raise Unavailable(f"PyTorch {torch.__version__} has no {recipe}")
    if k % block or k % (16 * packed) or n % 16:
        raise Unavailable(f"{recipe} needs n and k that fill its blocks")

    def operand(rows):
        if packed == 1:
            return random(torch, device, (rows, k), torch.float8_e4m3fn)
        # Any byte is two numbers of fp4.
        return torch.randint(0, 256, (rows, k // 2), device=device.kind, dtype=torch.uint8)

    def scales(rows):
        count = -(-rows // 128) * 128 * (-(-(k // block) // 4) * 4)
        if recipe == "nvfp4":
            return torch.ones(count, device=device.kind).to(torch.float8_e4m3fn)
        return torch.full((count,), 127, device=device.kind, dtype=torch.uint8).view(torch.float8_e8m0fnu)  # 2^0

    def make():
        kind = getattr(torch, elements)
        a, b = operand(m).view(kind), operand(n).t().view(kind)
        scale_a, scale_b = scales(m), scales(n)
        if recipe != "mxfp4":
            return lambda: torch._scaled_mm(a, b, scale_a=scale_a, scale_b=scale_b, out_dtype=torch.bfloat16)
        functional = torch.nn.functional  # from PyTorch 2.10 on; which blocks they are cannot be told by their type
        by_32, tiled = functional.ScalingType.BlockWise1x32, functional.SwizzleType.SWIZZLE_32_4_4
        return lambda: functional.scaled_mm(
            a, b, scale_a=scale_a, scale_recipe_a=by_32, scale_b=scale_b, scale_recipe_b=by_32,
            swizzle_a=tiled, swizzle_b=tiled, output_dtype=torch.bfloat16,
        )  # fmt: skip

    return make, (m * k + n * k) // packed + (m * k + n * k) // block + 2 * m * n, True


def transformer_engine(torch, device, m, n, k):
    """A linear layer that quantizes its input, as Transformer Engine runs it; nothing where that is not there."""
    try:
        import transformer_engine.pytorch as library
    except Exception:  # noqa: BLE001 - built for another PyTorch, it fails in many ways
        return None

    def make():
        linear = library.Linear(k, n, bias=False, params_dtype=torch.bfloat16, device=device.kind)
        x = random(torch, device, (m, k), torch.bfloat16)

        def call(first=False):
            # The weights are quantized once for all micro-batches.
            with torch.no_grad(), library.fp8_autocast(enabled=True):
                return linear(x, is_first_microbatch=first)

        call(first=True)
        return call

    return make, 3 * m * k + 3 * n * k + 2 * m * n, False


def deep_gemm_library():
    try:
        import deep_gemm as library
    except ImportError:
        raise Unavailable("fp8 in blocks of 128 needs DeepGEMM") from None
    return library


def deep_gemm(torch, device, m, n, k):
    library = deep_gemm_library()
    multiply = getattr(library, "fp8_gemm_nt", None) or getattr(library, "gemm_fp8_fp8_bf16_nt", None)
    if multiply is None:
        raise Unavailable("this DeepGEMM has no product that is known")

    def make():
        a, b = random(torch, device, (m, k), torch.float8_e4m3fn), random(torch, device, (n, k), torch.float8_e4m3fn)
        scale_a = torch.ones(m, -(-k // 128), device=device.kind)
        scale_b = torch.ones(-(-n // 128), -(-k // 128), device=device.kind)
        c = torch.empty(m, n, device=device.kind, dtype=torch.bfloat16)
        return lambda: multiply((a, scale_a), (b, scale_b), c)

    return make, m * k + n * k + 2 * m * n, True


def scaled_grouped_gemm(torch, device, kernel):
    """Experts' products of fp8 in one call. All experts have as many rows."""
    experts, m, n, k, recipe = (kernel[key] for key in ("batch", "m", "n", "k", "recipe"))
    fp8 = torch.float8_e4m3fn
    if not kernel.get("grouped") or kernel["layout"] != "tn" or kernel["dtype"] != "fp8":
        raise Unavailable(f"PyTorch has no such batched product of {kernel['dtype']}")
    if recipe == "block128":
        multiply = getattr(deep_gemm_library(), "m_grouped_fp8_gemm_nt_masked", None)
        if multiply is None:
            raise Unavailable("this DeepGEMM has no grouped product that is known")

        def make_masked():
            rows = -(-m // 128) * 128  # room for each expert; how many count is told
            a = random(torch, device, (experts, rows, k), fp8)
            b = random(torch, device, (experts, n, k), fp8)
            scale_a = torch.ones(experts, rows, -(-k // 128), device=device.kind)
            scale_b = torch.ones(experts, -(-n // 128), -(-k // 128), device=device.kind)
            c = torch.empty(experts, rows, n, device=device.kind, dtype=torch.bfloat16)
            counts = torch.full((experts,), m, device=device.kind, dtype=torch.int32)
            return lambda: multiply((a, scale_a), (b, scale_b), c, counts, m)

        return make_masked, experts * (m * k + n * k + 2 * m * n), True
    if recipe not in ("none", "tensor", "row") or not hasattr(torch, "_scaled_grouped_mm"):
        raise Unavailable(f"PyTorch {torch.__version__} has no grouped product of {kernel['dtype']} ({recipe})")

    def make():
        a = random(torch, device, (experts * m, k), fp8)
        b = random(torch, device, (experts, n, k), fp8).transpose(-1, -2)
        scale_a, scale_b = torch.ones(experts * m, device=device.kind), torch.ones(experts, n, device=device.kind)
        ends = torch.arange(1, experts + 1, device=device.kind, dtype=torch.int32) * m
        return lambda: torch._scaled_grouped_mm(a, b, scale_a, scale_b, offs=ends, out_dtype=torch.bfloat16)

    return make, experts * (m * k + n * k + 2 * m * n), True


def int8_gemm(torch, device, kernel):
    m, n, k = (kernel[key] for key in ("m", "n", "k"))
    if kernel["batch"] > 1 or not hasattr(torch, "_int_mm") or device.kind == "cpu":
        raise Unavailable("PyTorch has no such product of int8 here")

    def make():
        a = torch.randint(-128, 127, (m, k), device=device.kind, dtype=torch.int8)
        b = torch.randint(-128, 127, (n, k), device=device.kind, dtype=torch.int8).t()
        return lambda: torch._int_mm(a, b)

    return make, m * k + n * k + 4 * m * n, True


def attention(torch, device, kernel):
    keys = ("sequences", "heads", "key_value_heads", "query_length", "key_length", "head_dim", "value_head_dim")
    batch, heads, kv_heads, queries, length, dim, value_dim = (kernel[key] for key in keys)
    if device.kind == "cpu" and 2 * batch * heads * queries * length * (dim + value_dim) > CPU_FLOPS_LIMIT:
        raise Unavailable("too large for a CPU")
    fused = getattr(torch.nn.functional, "scaled_dot_product_attention", None)
    if fused is None:
        raise Unavailable(f"PyTorch {torch.__version__} has no fused attention")
    dtype = dtype_of(torch, kernel["dtype"])
    causal = kernel["causal"] and queries == length and queries > 1
    backward = kernel["pass"] == "backward"
    window = kernel.get("window", 0)
    flash = flash_attention() if device.kind == "cuda" and dim == value_dim and dtype != torch.float32 else None

    if window and not flash:
        raise Unavailable("attention within a window needs flash-attn")

    def make():
        def tensor(rows, count, width):
            size = (batch, rows, count, width) if flash else (batch, count, rows, width)
            return random(torch, device, size, dtype).requires_grad_(backward)

        q, k, v = tensor(queries, heads, dim), tensor(length, kv_heads, dim), tensor(length, kv_heads, value_dim)

        def forward():
            if flash:
                return flash(q, k, v, causal=causal, window_size=(window - 1, 0) if window else (-1, -1))
            if heads == kv_heads:
                return fused(q, k, v, is_causal=causal)
            try:
                return fused(q, k, v, is_causal=causal, enable_gqa=True)  # from PyTorch 2.5 on
            except TypeError:
                spread = [x.repeat_interleave(heads // kv_heads, dim=1) for x in (k, v)]
                return fused(q, *spread, is_causal=causal)

        if not backward:
            return forward
        out = forward()
        gradient = torch.randn_like(out)
        return lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True)

    size = batch * (heads * queries * (dim + value_dim) + kv_heads * length * (dim + value_dim))
    return make, size * (4 if dtype == torch.float32 else 2) * (2 if backward else 1), not backward


def flash_attention():
    try:
        from flash_attn import flash_attn_func
    except ImportError:
        return None
    return flash_attn_func


def memory(torch, device, kernel):
    """A pass over memory: an addition that moves as many bytes; of a long one, a part counts for the whole."""
    moved = min(kernel["bytes"], LONGEST_PASS_BYTES)
    count = max(1, int(moved / 6))  # of elements of 16 bits in each of three tensors

    def make():
        a, b = (random(torch, device, (count,), torch.bfloat16) for _ in range(2))
        c = torch.empty_like(a)
        return lambda: torch.add(a, b, out=c)

    return make, 6 * count, True, kernel["bytes"] / moved


KINDS = {"gemm": gemm, "attention": attention, "memory": memory}


class Work:
    """A kernel with its buffers, which take `room` bytes at most, ready to be timed."""

    def __init__(self, torch, device, kernel, room):
        torch.backends.cuda.matmul.allow_tf32 = kernel.get("dtype") == "tf32"
        make, self.bytes, graph, *scale = KINDS[kernel["kind"]](torch, device, kernel)
        self.scale = scale[0] if scale else 1
        # Random numbers are drawn in 32 bits.
        if 3 * self.bytes > room:
            raise Unavailable("too large for the memory that is free")
        most = MOST_COPIES if device.kind == "cuda" else 2
        copies = max(1, min(most, -(-4 * device.cache_bytes // self.bytes), int(room / (3 * self.bytes))))
        calls = [make() for _ in range(copies)]
        if device.kind == "cuda":
            calls *= max(1, FEWEST_CALLS // copies)
        for call in calls[:2]:
            call()
        device.synchronize()
        self.timed = device.timer(calls, graph)
        first = max(self.timed(1), 1e-3)
        self.repeats = max(1, min(1000, int(ROUND_S * 1e6 / (first * len(calls)))))
        if device.kind == "cuda":
            self.timed(self.repeats)  # the clocks rise

    def run(self):
        return self.timed(self.repeats) * self.scale


def evenly_cut(kernel, runs):
    """A long pass over memory as several that move as much together."""
    parts = math.ceil(kernel["bytes"] / LONGEST_PASS_BYTES) if kernel["kind"] == "memory" else 1
    return ({**kernel, "bytes": kernel["bytes"] / parts} if parts > 1 else kernel), runs * parts


class Sequence:
    """Kernels one after another, as a layer or a step runs them: `layers` times `layer`, then `rest`, both lists of
    kernels and of how often each runs."""

    def __init__(self, torch, device, layers, layer, rest, room):
        made = {}
        self.bytes = 0
        drawn = 0  # random numbers are drawn in 32 bits
        for kernel, _ in layer + rest:
            key = json.dumps(kernel, sort_keys=True)
            if key in made:
                continue
            torch.backends.cuda.matmul.allow_tf32 = kernel.get("dtype") == "tf32"
            cut, parts = evenly_cut(kernel, 1)
            make, size, graph, *_ = KINDS[cut["kind"]](torch, device, cut)
            self.bytes += size
            drawn = max(drawn, 2 * size)
            if self.bytes + drawn > room:
                raise Unavailable("too large for the memory that is free")
            made[key] = (make(), graph, parts)
        calls = []
        for times, part in ((layers, layer), (1, rest)):
            once = []
            for kernel, runs in part:
                call, graph, parts = made[json.dumps(kernel, sort_keys=True)]
                once += [(call, graph)] * (runs * parts)
            calls += once * times
        for call, _, _ in made.values():
            call()
        device.synchronize()
        self.timed = device.sequence_timer(calls)
        first = max(self.timed(1), 1e-3)
        self.repeats = max(1, int(ROUND_S * 1e6 / first))

    def run(self):
        return self.timed(self.repeats)


def measure(torch, device, kernels, seconds, clock=time.monotonic):
    """Times one or two kernels in turn: medians, the logarithm of their ratio, and its half width of 95 %."""
    room = device.free_bytes() / (2 * len(kernels))
    return measure_works([Work(torch, device, kernel, room) for kernel in kernels], seconds, clock)


def measure_works(works, seconds, clock=time.monotonic):
    times = [[] for _ in works]
    end = clock() + seconds
    log_ratio, half_width = 0.0, math.inf
    for index in range(MOST_ROUNDS):
        order = list(range(len(works)))
        if index % 2:
            order.reverse()
        for each in order:
            times[each].append(works[each].run())
        rounds = index + 1
        if rounds < FEWEST_ROUNDS:
            if clock() > end and rounds >= 3:
                break
            continue
        log_ratio, half_width = interval_of(times)
        if half_width <= NARROW or clock() > end:
            break
    log_ratio, half_width = interval_of(times)
    return {"us": [median(each) for each in times], "log_ratio": log_ratio, "half_width": half_width, "rounds": len(times[0])}


def interval_of(times):
    """Of ln(after / before) over rounds; of one kernel, of the logarithm of its time."""
    if len(times) == 1:
        _, half_width = trimmed_interval([math.log(each) for each in times[0]])
        return 0.0, half_width
    return trimmed_interval([math.log(after / before) for before, after in zip(*times)])


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def attempt(device, out, work):
    """What `work` returns, or `out` with why not."""
    try:
        return work()
    except Unavailable as reason:
        return {**out, "skipped": str(reason)}
    except (RuntimeError, TypeError, ValueError, AttributeError, AssertionError, NotImplementedError) as problem:
        # Libraries refuse shapes and formats in many ways; the next one may run.
        text = str(problem).strip().splitlines()
        return {**out, "skipped": text[0][:200] if text else type(problem).__name__}
    finally:
        if device.kind == "cuda":
            device.torch.cuda.empty_cache()


def interval_fields(found):
    return {key: found[key] for key in ("log_ratio", "half_width", "rounds")}


def measure_pair(torch, device, plan, pair, seconds):
    before, after = pair["before"], pair["after"]
    chosen = [index for index in (before, after) if index is not None]
    if before == after:
        chosen = chosen[:1]
    out = {"before": before, "after": after}

    def work():
        found = measure(torch, device, [plan["kernels"][index] for index in chosen], seconds)
        times = {}
        if before is not None:
            times["before_us"] = found["us"][0]
        if after is not None:
            times["after_us"] = found["us"][-1]
        return {**out, **times, **interval_fields(found)}

    return attempt(device, out, work)


def is_out_of_reach(torch, device, kernel):
    try:
        KINDS[kernel["kind"]](torch, device, kernel)
    except Unavailable:
        return True
    return False


def known_times(torch, device, plan, pairs):
    """Microseconds of each kernel: as measured, or else as predicted; and those that cannot be measured here."""
    times = {index: kernel["predicted_us"] for index, kernel in enumerate(plan["kernels"])}
    out_of_reach = {index for index, kernel in enumerate(plan["kernels"]) if is_out_of_reach(torch, device, kernel)}
    for pair in pairs:
        for side in ("before", "after"):
            if pair[side] is None:
                continue
            if side + "_us" in pair:
                times[pair[side]] = pair[side + "_us"]
            elif pair.get("skipped") != TIME_SPENT:
                out_of_reach.add(pair[side])
    return times, out_of_reach


def measure_whole(torch, device, plan, pairs, whole, seconds):
    """A step before and after, all of its kernels one after another, or else, where that takes too long, a layer."""
    times, out_of_reach = known_times(torch, device, plan, pairs)
    sides = [whole["before"], whole["after"]]
    listed = {index for side in sides for part in ("layer", "rest") for index, _ in side[part]}
    left_out = sorted(listed & out_of_reach)

    def kept(part):
        return [(index, runs) for index, runs in part if index not in out_of_reach]

    def us(side, layers, rest):
        return sum(layers * runs * times[index] for index, runs in kept(side["layer"])) + sum(
            runs * times[index] for index, runs in kept(rest)
        )

    step_us = sum(us(side, side["layers"], side["rest"]) for side in sides)
    is_step = LEAST_PASSES * step_us <= seconds * 1e6
    out = {"finding": whole["finding"], "of": "step" if is_step else "layer", "left_out": left_out}

    def work():
        if not any(kept(side["layer"]) for side in sides):
            raise Unavailable("nothing of a layer can be measured")
        room = device.free_bytes() / 2

        def sequence(side):
            def kernels(part):
                return [(plan["kernels"][index], runs) for index, runs in kept(part)]

            layers, rest = (side["layers"], side["rest"]) if is_step else (1, [])
            return Sequence(torch, device, layers, kernels(side["layer"]), kernels(rest), room)

        found = measure_works([sequence(side) for side in sides], seconds)
        return {**out, "before_us": found["us"][0], "after_us": found["us"][1], **interval_fields(found)}

    return attempt(device, out, work)


# Sweeps: what nobody has published, or too little of it. Names and kernels.

LAYOUTS = ("tn", "nn", "nt")


def product(layout, m, n, k, batch=1, dtype="bf16", recipe="none", **more):
    return {"kind": "gemm", "dtype": dtype, "recipe": recipe, "layout": layout, "batch": batch, "m": m, "n": n, "k": k, **more}


def fused(head_dim, heads, direction, length=4096, key_value_heads=None):
    return {
        "kind": "attention", "dtype": "bf16", "pass": direction, "sequences": 2, "heads": heads,
        "key_value_heads": key_value_heads or heads, "query_length": length, "key_length": length,
        "head_dim": head_dim, "value_head_dim": head_dim, "causal": True,
    }  # fmt: skip


def grid():
    """Shapes of training and inference, both sides of tile edges."""
    for m in (1, 4, 16, 17, 64, 65, 128, 129, 256, 257, 512, 1024, 1025, 2048, 4096, 4097, 8192):
        for n in (256, 1024, 2048, 4096, 8192, 14336):
            for k in (256, 1024, 4096, 8192, 14336):
                yield product("tn", m, n, k)


def alignment():
    """n and k from 1 to 256 past a base, in steps of 1, in the layouts of all three passes of training; fp8 in steps
    of 16, which are the only ones that it has."""
    for extra in range(1, 257):
        for layout in LAYOUTS:
            yield product(layout, 4096, 4096 + extra, 4096)
            yield product(layout, 4096, 4096, 4096 + extra)
        yield product("nt", 4096 + extra, 4096, 4096)
        if extra % 16 == 0:
            yield product("tn", 4096, 4096 + extra, 4096, dtype="fp8", recipe="tensor")
            yield product("tn", 4096, 4096, 4096 + extra, dtype="fp8", recipe="tensor")


def waves():
    """m and n in steps of 8 across the edges of waves."""
    for size in range(1024, 4097, 8):
        yield product("tn", size, 2048, 4096)
        yield product("tn", 2304, size, 4096)


def attention_by_head_dim():
    """Fused attention by head dimension, at the same width, and unfused scores and values."""
    for head_dim in range(8, 257, 8):
        heads = max(1, 4096 // head_dim)
        for direction in ("forward", "backward"):
            yield fused(head_dim, heads, direction)
        if head_dim in (64, 128):
            for shared in (4, 8):
                yield fused(head_dim, heads, "forward", key_value_heads=heads // shared)
    for head_dim in range(8, 257):
        yield product("tn", 2048, 2048, head_dim, batch=64)
        yield product("nn", 2048, head_dim, 2048, batch=64)


def experts():
    """The three products of an expert, grouped: experts of a GPU, their rows, widths that are aligned and not."""
    for count in (2, 8, 32):
        for rows in (64, 256, 1024, 1025):
            for width in (768, 1408, 1536, 2048, 2050):
                for layout, m, n, k in (("tn", rows, width, 4096), ("nn", rows, 4096, width), ("nt", width, 4096, rows)):
                    yield product(layout, m, n, k, batch=count, grouped=True)


def transformer_layers():
    """Layers of a dense transformer, all kernels one after another, by width and heads; aligned ones and their odd
    neighbours."""
    tokens, length = 8192, 4096
    for hidden, heads in ((2048, 16), (2560, 32), (2560, 20), (3072, 24), (4096, 32), (4100, 25), (5120, 40), (8192, 64)):
        head_dim = hidden // heads
        width = 4 * hidden
        runs = []
        for n, k in ((3 * hidden, hidden), (hidden, hidden), (width, hidden), (hidden, width)):
            runs += [(product("tn", tokens, n, k), 1), (product("nn", tokens, k, n), 1), (product("nt", n, k, tokens), 1)]
        for direction in ("forward", "backward"):
            runs.append(({**fused(head_dim, heads, direction, length), "sequences": tokens // length}, 1))
        # Two norms, two additions, an activation, forwards and backwards.
        runs.append(({"kind": "memory", "bytes": 2.0 * tokens * 3 * hidden}, 8))
        runs.append(({"kind": "memory", "bytes": 2.0 * tokens * 3 * width}, 2))
        yield {"kind": "sequence", "runs": runs, "hidden_size": hidden, "heads": heads}


SWEEPS = {
    "grid": grid,
    "alignment": alignment,
    "waves": waves,
    "attention": attention_by_head_dim,
    "moe": experts,
    "layers": transformer_layers,
}


def measure_swept(torch, device, sweep, kernel, seconds):
    out = {"sweep": sweep, "kernel": kernel}

    def work():
        room = device.free_bytes() / 2
        if kernel["kind"] == "sequence":
            alone = Sequence(torch, device, 1, kernel["runs"], [], room)
        else:
            alone = Work(torch, device, kernel, room)
        found = measure_works([alone], seconds)
        return {**out, "us": found["us"][0], "half_width": found["half_width"], "rounds": found["rounds"]}

    return attempt(device, out, work)


def spread(kernels):
    """In an order of which any first part is spread evenly over all: by the bits of their places, reversed."""
    bits = max(1, (len(kernels) - 1).bit_length())
    places = (int(f"{place:0{bits}b}"[::-1], 2) for place in range(1 << bits))
    return [kernels[place] for place in places if place < len(kernels)]


def run_sweeps(torch, device, plan, budget_s, say):
    """All kernels of the sweeps in turn, first of each sweep before second ones, until the time is spent."""
    lists = [[(name, kernel) for kernel in spread(list(SWEEPS[name]()))] for name in plan["sweeps"]]
    # By share of its sweep, so that a small budget sees something of each.
    order = sorted((place / len(each), turn, place) for turn, each in enumerate(lists) for place in range(len(each)))
    end = time.monotonic() + budget_s
    rows, samples, reasons = [], [], set()
    for done, (_, turn, place) in enumerate(order):
        left = end - time.monotonic()
        if left <= 0:
            break
        name, kernel = lists[turn][place]
        say(f"{done + 1} of {len(order)}, {left:.0f} s left")
        rows.append(measure_swept(torch, device, name, kernel, min(left, SWEPT_S)))
        if device.kind == "cuda" and done % 20 == 0:
            samples.append(clocks())
            reasons.update(throttled(samples[-1]))
    return rows, len(order), [sample for sample in samples if sample], sorted(reasons)


def software(torch):
    out = {"python": sys.version.split()[0], "torch": torch.__version__}
    if torch.version.cuda or getattr(torch.version, "hip", None):
        out["cuda"] = torch.version.cuda or torch.version.hip
    driver = nvidia_smi(("driver_version",)).get("driver_version")
    if driver:
        out["driver"] = driver
    for name in ("transformer_engine", "flash_attn", "deep_gemm"):
        try:
            out[name] = getattr(__import__(name), "__version__", "unknown")
        except Exception:  # noqa: BLE001 - a library that does not load is as good as none
            continue
    return out


def run(torch, device, plan, budget_s, say):
    # What counts most comes first, so that a small budget settles most.
    order = sorted(range(len(plan["pairs"])), key=lambda i: -plan["pairs"][i]["weight_us"])
    wholes_todo = plan.get("wholes", [])
    end = time.monotonic() + budget_s * ((1 - WHOLES_SHARE) if wholes_todo else 1)
    pairs = [None] * len(order)
    samples, reasons = [], set()

    def note():
        if device.kind == "cuda":
            sample = clocks()
            samples.append(sample)
            reasons.update(throttled(sample))

    for done, index in enumerate(order):
        left = end - time.monotonic()
        pair = plan["pairs"][index]
        if left <= 0:
            pairs[index] = {"before": pair["before"], "after": pair["after"], "skipped": TIME_SPENT}
            continue
        say(f"{done + 1} of {len(order)}, {left:.0f} s left")
        pairs[index] = measure_pair(torch, device, plan, pair, left / (len(order) - done))
        note()
    # What the pairs left of their time is used, too.
    end = time.monotonic() + max(0.0, end - time.monotonic()) + budget_s * WHOLES_SHARE
    wholes = []
    for done, whole in enumerate(wholes_todo):
        left = max(0.0, end - time.monotonic()) / (len(wholes_todo) - done)
        say(f"as a whole: {done + 1} of {len(wholes_todo)}")
        wholes.append(measure_whole(torch, device, plan, pairs, whole, left))
        note()
    return pairs, wholes, [sample for sample in samples if sample], sorted(reasons)


def written(value):
    """JSON has no infinity, and no time is known to more than six digits."""
    if isinstance(value, dict):
        return {key: written(each) for key, each in value.items()}
    if isinstance(value, list):
        return [written(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def seconds(text):
    """As `shapelint prove --budget` reads it; a number alone is seconds."""
    units = {"s": 1, "m": 60, "h": 3600}
    unit = units.get(text[-1:])
    try:
        value = float(text[:-1] if unit else text) * (unit or 1)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"`{text}` is no time such as 150, 150s or 5m")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="-", help="where the result goes (default: standard output)")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--budget", type=seconds, metavar="TIME", help="such as 150, 150s or 5m (default: as the plan says)")
    parser.add_argument("--any-gpu", action="store_true", help="measure though the GPU is not the one of the plan")
    parser.add_argument("--lock-clocks", metavar="MHZ", help="hold the SM clock meanwhile (needs root)")
    options = parser.parse_args()
    if PLAN is None:
        raise SystemExit("error: there is no plan in this file; `shapelint prove FILE --gpu NAME` writes one that has it")
    try:
        import torch
    except ImportError:
        raise SystemExit("error: PyTorch is not installed for this Python") from None
    device = Device(torch, options.device)
    if options.device == "cuda" and not is_expected(device, PLAN["gpu"]) and not options.any_gpu:
        raise SystemExit(
            f"error: this GPU is `{device.name}` with {device.sm_count} SMs and {device.memory_gb:.0f} GB, and the plan is for "
            f"{PLAN['gpu']['name']} with {PLAN['gpu']['sm_count']} and {PLAN['gpu']['memory_gb']:.0f}; `shapelint prove --gpu` names another, `--any-gpu` measures all the same"
        )
    torch.manual_seed(1)

    def say(text):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    if options.lock_clocks:
        subprocess.run(["nvidia-smi", "-i", "0", "-lgc", options.lock_clocks], check=True, stdout=subprocess.DEVNULL)
    started = time.monotonic()
    budget = options.budget if options.budget is not None else PLAN["budget_s"]
    try:
        if "sweeps" in PLAN:
            rows, planned, samples, reasons = run_sweeps(torch, device, PLAN, budget, say)
            measured = {"planned": planned, "rows": rows}
        else:
            pairs, wholes, samples, reasons = run(torch, device, PLAN, budget, say)
            measured = {"pairs": pairs, "wholes": wholes}
    finally:
        if options.lock_clocks:
            subprocess.run(["nvidia-smi", "-i", "0", "-rgc"], check=False, stdout=subprocess.DEVNULL)
    say("")
    result = {
        "version": RESULT_VERSION,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "seconds": round(time.monotonic() - started, 1),
        "device": {
            "kind": device.kind,
            "name": device.name,
            "sm_count": device.sm_count,
            "expected": options.device == "cuda" and is_expected(device, PLAN["gpu"]),
            "clocks_locked_mhz": options.lock_clocks,
            "samples": samples,
            "throttled": reasons,
        },
        "software": software(torch),
        **measured,
        "plan": PLAN,
    }
    text = json.dumps(written(result), indent=1) + "\n"
    if options.output == "-":
        sys.stdout.write(text)
    else:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    tell(measured, device.name, reasons)


def tell(measured, name, reasons):
    """What was measured and what was not, for people."""
    what = "kernels" if "rows" in measured else "pairs"
    all_of_it = measured["rows"] if "rows" in measured else measured["pairs"]
    done = sum("skipped" not in each for each in all_of_it)
    print(f"{done} of {measured.get('planned', len(all_of_it))} {what} measured on {name}", file=sys.stderr)
    for whole in measured.get("wholes", []):
        if "skipped" in whole:
            print(f"left out: a {whole['of']} as a whole ({whole['skipped']})", file=sys.stderr)
    for reason in sorted({each["skipped"] for each in all_of_it if "skipped" in each}):
        count = sum(each.get("skipped") == reason for each in all_of_it)
        print(f"left out: {count} ({reason})", file=sys.stderr)
    if reasons:
        print(f"warning: the GPU was throttled ({', '.join(reasons)}): measure again when it is cool", file=sys.stderr)


if __name__ == "__main__":
    main()
