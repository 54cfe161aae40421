#!/usr/bin/env python3
"""tilec and its peers on one NVIDIA GPU, in one process: kernels of kernels/ through the C API, torch
(eager and compiled; for products cuBLAS), Triton.

  gpu_peers.py [--lib PATH] [--kernels FOLDER] [--only WORD,...] [--rounds N] [--json PATH]
               [--overlap] [--beside PATH] [--shape NORM,TYPE,ROWS,N]... [--variant M,N,K[,REQUIREMENT=VALUE...]]...
               [--blocks M,N[,REQUIREMENT=VALUE...]]...

Words: host rmsnorm chain large wide flat transpose sum; attention, or one of it such as attention-1024-64 or
attention-4096-128-causal; products, products-half, products-float,
products-small, products-large, or one product such as half-4096 or float-257x255x259. A --variant
replaces the block sizes and requirements with which products are tried. --overlap launches large rows
and transposes also with programmatic dependent launch, which is an option of the launch (tilec's
overlap, Triton's launch_pdl): a launch may then start while the one before it ends. Next to them it times
tilec's copy of as many bytes, launched both ways, and compares like with like. --beside times rows, products
and attention of another libtilec.so next to ours, --shape rows of one shape, such as rmsnorm,half,16383,4096, alone.

  gpu_peers.py [--lib PATH] --lab EXPERIMENT.json [--baseline B.json] [--case NAME,...] [-o RECORD.json]

is 'tilec lab run --target cuda' with Triton and torch among its arms; see lab_peers.py.

Times are GPU times: each contender's launches are captured in a graph, whose replays are timed by
events; the GPU is kept busy until all is queued, so that the processor's part is not in them.
Contenders take turns, and the median counts. Before it is timed each contender computes into
poisoned outputs, which are compared with a reference in double. Bandwidth is what must be moved
(every input read once, every output written once) over that time; the streaming rate it is compared
with is a device-to-device copy of the same run.
"""
import argparse
import ctypes as c
import itertools
import json
import math
import os
import statistics
import sys

try:
    import torch
except ImportError:
    sys.exit("gpu_peers.py: PyTorch with CUDA is needed, whose functions are among the peers")

try:
    import triton
    import triton.language as tl
    from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait
except ImportError:
    triton = None

# ---- tilec's C API ------------------------------------------------------------------------------


class Define(c.Structure):
    _fields_ = [("name", c.c_char_p), ("value", c.c_char_p)]


class Source(c.Structure):
    _fields_ = [("size", c.c_size_t), ("path", c.c_char_p), ("text", c.c_char_p),
                ("text_length", c.c_size_t), ("defines", c.POINTER(Define)),
                ("define_count", c.c_size_t), ("tile_ir", c.c_int)]


class CompileOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("kernel", c.c_char_p), ("target", c.c_char_p)]


class Argument(c.Structure):
    _fields_ = [("name", c.c_char_p), ("kind", c.c_int), ("type", c.c_int), ("bits", c.c_uint64),
                ("data", c.c_void_p), ("rank", c.c_int), ("shape", c.c_void_p),
                ("elements", c.c_int64), ("initialised", c.c_void_p), ("allowed", c.c_void_p)]


class LaunchOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("threads", c.c_int), ("print", c.c_void_p),
                ("user", c.c_void_p), ("step_limit", c.c_int64), ("unchecked", c.c_int),
                ("thread_order", c.c_uint64), ("device_seconds", c.c_void_p),
                ("stream", c.c_void_p), ("overlap", c.c_int), ("host_buffers", c.c_int)]


class Diagnostic(c.Structure):
    _fields_ = [("kind", c.c_int), ("file", c.c_char_p), ("line", c.c_int), ("column", c.c_int),
                ("end_line", c.c_int), ("end_column", c.c_int), ("message", c.c_char_p),
                ("hint", c.c_char_p), ("source_line", c.c_char_p), ("text", c.c_char_p)]


SCALAR, BUFFER = 0, 1
TYPES = {torch.float32: 11, torch.float16: 9, torch.bfloat16: 10, torch.int32: 3}
C_TYPES = {torch.float32: b"float", torch.float16: b"half", torch.bfloat16: b"bfloat"}


class Tilec:
    def __init__(self, path, kernels):
        self.lib, self.kernels = c.CDLL(path), kernels
        self.context = c.c_void_p()
        self.check(self.lib.tilec_context_create(None, c.byref(self.context)))

    def check(self, status):
        if status == 0:
            return
        d, text = Diagnostic(), ""
        if self.context and self.lib.tilec_diagnostic_get(self.context, c.c_size_t(0),
                                                          c.byref(d)) == 0:
            text = d.text.decode()
        raise RuntimeError(f"tilec: status {status}: {text}")

    def compile(self, file, kernel, defines, requirements=""):
        array = (Define * len(defines))(*[Define(k.encode(), v if isinstance(v, bytes) else
                                                 str(v).encode()) for k, v in defines.items()])
        path = os.path.join(self.kernels, file + ".tile.c")
        source = Source(c.sizeof(Source), path.encode(), None, 0, array, len(defines), 0)
        if requirements:
            with open(path, "rb") as f:
                source.text = f.read() + f"\nrequire({kernel}, {requirements});\n".encode()
            source.text_length = len(source.text)
        options = CompileOptions(c.sizeof(CompileOptions), kernel.encode(), b"cuda")
        made = c.c_void_p()
        self.check(self.lib.tilec_compile(self.context, c.byref(source), c.byref(options),
                                          c.byref(made)))
        return made

    def prepare(self, kernel, arguments, stream, overlap=False):
        """A function that launches; tensors, ints and floats are the arguments."""
        array = (Argument * len(arguments))()
        for a, value in zip(array, arguments):
            if isinstance(value, torch.Tensor):
                a.kind, a.type, a.data = BUFFER, TYPES[value.dtype], value.data_ptr()
                a.rank, a.elements = -1, value.numel()
            elif isinstance(value, float):
                a.kind, a.type = SCALAR, TYPES[torch.float32]
                a.bits = int.from_bytes(bytes(c.c_float(value)), "little")
            else:
                a.kind, a.type, a.bits = SCALAR, TYPES[torch.int32], value & 0xffffffff
        options = LaunchOptions(size=c.sizeof(LaunchOptions), stream=stream, overlap=int(overlap))
        made = c.c_void_p()
        self.check(self.lib.tilec_prepare(kernel, None, array, c.c_size_t(len(arguments)),
                                          c.byref(options), c.byref(made)))
        run = self.lib.tilec_prepared_run

        def launch():
            status = run(made)
            if status:
                self.check(status)

        return launch


# ---- timing --------------------------------------------------------------------------------------


def hold():
    """Keeps the current stream busy for some 0.1 ms, while what comes next is queued."""
    torch.cuda._sleep(200000)


class Contender:
    """launch(i): queues the work on buffer set i, on the capturing stream."""

    def __init__(self, name, launch, sets):
        self.name, self.launch, self.sets, self.times = name, launch, sets, []
        self.graph, self.count = None, 0

    def capture(self, stream, count):
        self.count = max(count, self.sets) // self.sets * self.sets
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=stream):
            for i in range(self.count):
                self.launch(i % self.sets)

    def replay(self, stream):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with torch.cuda.stream(stream):
            hold()
            begin.record()
            self.graph.replay()
            end.record()
        return begin, end


def measure(contenders, stream, guess_us, rounds):
    """Median microseconds per launch, by name. Contenders that cannot be captured are left out."""
    count = max(1, min(200, int(1500 / guess_us)))
    good = []
    for contender in contenders:
        try:
            with torch.cuda.stream(stream):
                for i in range(max(3, contender.sets)):
                    contender.launch(i % contender.sets)
            torch.cuda.synchronize()
            contender.capture(stream, count)
            good.append(contender)
        except Exception as error:  # a peer's failure is a result too
            print(f"  {contender.name} fails: {str(error)[:200]}", flush=True)
            torch.cuda.synchronize()
    for contender in good:
        for _ in range(3):
            contender.replay(stream)
    torch.cuda.synchronize()
    for _ in range(rounds):
        for contender in good:
            begin, end = contender.replay(stream)
            end.synchronize()
            contender.times.append(begin.elapsed_time(end) * 1e3 / contender.count)
    return {contender.name: statistics.median(contender.times) for contender in good}


PDL_NAMES = ("", " pdl early", " pdl late")


def best_triton(times):
    """Of Triton's contenders the fastest of each kind: launched in turn, and overlapping."""
    for overlaps in (False, True):
        group = {k: v for k, v in times.items()
                 if k.startswith("triton") and (" pdl" in k) == overlaps}
        best = min(group, key=group.get) if group else None
        times = {k: v for k, v in times.items() if k not in group or k == best}
    return times


def same(out, wanted, name, limit):
    """Relative error in the 2-norm; NaN never passes."""
    error = ((out.double() - wanted).norm() / wanted.norm()).item()
    if not error <= limit:
        print(f"  WRONG: {name}: relative error {error:.3g}", flush=True)
        return False
    return True


# ---- Triton's kernels ----------------------------------------------------------------------------

if triton:
    # Where a kernel lets the next launch start: not at all, behind its loads, behind its (first) reduction.
    EARLY, LATE = tl.constexpr(1), tl.constexpr(2)

    @triton.jit
    def triton_rmsnorm(X, W, Out, N, eps, BLOCK: tl.constexpr, PDL: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        col = tl.arange(0, BLOCK)
        if PDL:
            gdc_wait()
        x = tl.load(X + row * N + col, mask=col < N, other=0.0).to(tl.float32)
        w = tl.load(W + col, mask=col < N, other=0.0).to(tl.float32)
        if PDL == EARLY:
            gdc_launch_dependents()
        scale = tl.rsqrt(tl.sum(x * x, 0) / N + eps)
        if PDL == LATE:
            gdc_launch_dependents()
        tl.store(Out + row * N + col, (x * scale * w).to(Out.dtype.element_ty), mask=col < N)

    @triton.jit
    def triton_softmax(X, Out, N, BLOCK: tl.constexpr, PDL: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        col = tl.arange(0, BLOCK)
        if PDL:
            gdc_wait()
        x = tl.load(X + row * N + col, mask=col < N, other=-float("inf")).to(tl.float32)
        if PDL == EARLY:
            gdc_launch_dependents()
        e = tl.exp(x - tl.max(x, 0))
        if PDL == LATE:
            gdc_launch_dependents()
        tl.store(Out + row * N + col, (e / tl.sum(e, 0)).to(Out.dtype.element_ty), mask=col < N)


    @triton.jit
    def triton_attention(Q, K, V, Out, n, scale, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
                         CAUSAL: tl.constexpr):
        """Like kernels/attention.tile.c: a program's rows, all keys in blocks, powers of two. n is a
        multiple of both blocks, so that only blocks on the diagonal have masks."""
        first = tl.program_id(0) * M
        base = tl.program_id(1).to(tl.int64) * n * D
        row, dim, col = first + tl.arange(0, M), tl.arange(0, D), tl.arange(0, N)
        q = tl.load(Q + base + row[:, None] * D + dim[None, :])
        top = tl.full((M,), -float("inf"), tl.float32)
        total = tl.zeros((M,), tl.float32)
        acc = tl.zeros((M, D), tl.float32)
        log2_scale = scale * 1.44269504
        for part in tl.static_range(2 if CAUSAL else 1):
            begin, end = 0, n
            if CAUSAL:
                begin, end = (0, first // N * N) if part == 0 else (first // N * N, first + M)
            for j in range(begin, end, N):
                at = base + (j + col[:, None]) * D + dim[None, :]
                s = tl.dot(q, tl.load(K + at).T)
                if part == 1:
                    s = tl.where(j + col[None, :] <= row[:, None], s, -float("inf"))
                higher = tl.maximum(top, tl.max(s, 1) * log2_scale)
                weight = tl.math.exp2(s * log2_scale - higher[:, None])
                shrink = tl.math.exp2(top - higher)
                total = total * shrink + tl.sum(weight, 1)
                acc = tl.dot(weight.to(V.dtype.element_ty), tl.load(V + at), acc * shrink[:, None])
                top = higher
        tl.store(Out + base + row[:, None] * D + dim[None, :],
                 (acc / total[:, None]).to(Out.dtype.element_ty))

    @triton.jit
    def triton_read(X, Out, BLOCK: tl.constexpr):
        """Reads and (as no element is so large) writes nothing."""
        i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        most = tl.max(tl.load(X + i), 0)
        tl.store(Out, most, mask=most > 1e30)


# ---- products ------------------------------------------------------------------------------------

SMALL, LARGE = "small", "large"
HALF, FLOAT = torch.float16, torch.float32
PRODUCTS = [(kind, dtype, shape) for dtype in (HALF, FLOAT) for kind, shape in (
    (SMALL, (64, 64, 64)), (SMALL, (256, 256, 256)), (SMALL, (257, 255, 259)),
    (LARGE, (1024, 1024, 1024)), (LARGE, (4096, 4096, 4096)))]

# What is tried where no --variant is given: blocks and requirements.
VARIANTS = {
    (SMALL, HALF): ["16,16,64", "16,32,256", "32,32,320"],
    (SMALL, FLOAT): ["8,16,64", "32,16,256", "32,32,288"],
    (LARGE, HALF): ["128,256,64", "64,128,128,swizzle=linear", "64,128,128"],
    (LARGE, FLOAT): ["128,256,32,buffering=3", "128,128,16",
                     "64,128,32,groups=8,split_k=4,buffering=3"],
}


# Heads, rows (and keys), elements of a head, causal; and the blocks (rows, keys) and requirements that are
# tried where no --blocks is given.
ATTENTION = [(16, n, d, causal) for d in (64, 128) for n in (512, 1024, 4096) for causal in (0, 1)]
ATTENTION_BLOCKS = ["64,64", "128,64", "128,128"]
TRITON_BLOCKS = [(m, n, warps, stages) for m, n in ((128, 64), (128, 128), (64, 64))
                 for warps in (4, 8) for stages in (2, 3)]


def is_ours(name):
    """Not what --beside times next to it."""
    return name.startswith("tilec ") and not name.startswith("tilec beside")


def product_name(dtype, shape):
    """half-4096 or float-257x255x259"""
    sizes = shape[:1] if len(set(shape)) == 1 else shape
    return f"{C_TYPES[dtype].decode()}-{'x'.join(map(str, sizes))}"


def product_words(kind, dtype, shape):
    """The words of --only that name this product."""
    return {"products", f"products-{kind}", f"products-{C_TYPES[dtype].decode()}",
            product_name(dtype, shape)}


# ---- the benchmark -------------------------------------------------------------------------------


class Bench:
    def __init__(self, options):
        self.options = options
        self.stream = torch.cuda.Stream()
        self.tilec = Tilec(options.lib, options.kernels)
        self.libraries = {"tilec": self.tilec}
        if options.beside:
            self.libraries["tilec beside"] = Tilec(options.beside, options.kernels)
        self.results, self.wrong = [], 0
        self.rates = {}  # TB/s, by what "share of" is of

    def wanted(self, word):
        return not self.options.only or word in self.options.only

    def report(self, case, times, moved, ours="tilec", of="streaming", contenders=()):
        """The speed-up is that of the medians, or the median of the rounds' where these are given: small
        kernels take 0.16 us more or less from one second to the next, all alike."""
        peers = {k: v for k, v in times.items() if not k.startswith("tilec")}
        best = min(peers.values()) if peers else math.nan
        mine = times.get(ours, math.nan)
        rate = moved / mine / 1e6
        speedup = best / mine
        rounds = {contender.name: contender.times for contender in contenders}
        if rounds and peers and ours in times:
            name = min(peers, key=peers.get)
            speedup = statistics.median(p / m for p, m in zip(rounds[name], rounds[ours]))
        row = {"case": case, "us": times, "speedup": speedup, "TB/s": rate}
        self.results.append(row)
        text = "  ".join(f"{k} {v:.2f}" for k, v in times.items())
        all_of = self.rates.get(of)
        row["of_" + of.replace(" ", "_")] = rate / all_of if all_of else None
        share = f" {rate:.2f} TB/s = {rate / all_of:.3f} of {of}" if all_of else ""
        print(f"{case}: {text} us; {speedup:.3f}x{share}", flush=True)

    def report_both(self, case, times, moved, contenders=()):
        """Launches in turn beside the streaming rate; those that overlap, where some do, beside a copy of
        as much whose launches overlap. What cannot overlap is in both."""
        def kind(overlaps):
            return {k: v for k, v in times.items() if not k.startswith("copy") and
                    (k.endswith((" overlap", " pdl early", " pdl late")) == overlaps or k == "torch")}

        self.report(case, kind(False), moved, contenders=contenders)
        if "copy overlap" not in times:
            return
        print(f"  a copy of as much {times['copy']:.2f}, overlapping {times['copy overlap']:.2f} us", flush=True)
        self.rates["an overlapping copy"] = moved / times["copy overlap"] / 1e6
        self.report(case + " overlapping", kind(True), moved, "tilec overlap", "an overlapping copy", contenders)

    # ---- one group of rows

    def streaming(self):
        n = 1 << 29
        a, b = (torch.empty(n, dtype=torch.float32, device="cuda") for _ in range(2))
        a.normal_()
        kernel = self.tilec.compile("copy", "copy", {"T": b"float", "BLOCK": 16384})
        ours = self.tilec.prepare(kernel, [a, b, n], self.stream.cuda_stream)
        # A copy captured in a graph runs at two thirds of this rate, so that events frame the call.
        copies = []
        for _ in range(15):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            hold()
            begin.record()
            b.copy_(a)
            end.record()
            end.synchronize()
            copies.append(begin.elapsed_time(end) * 1e3)
        times = measure([Contender("tilec", lambda i: ours(), 1)], self.stream, 1000, 15)
        times["copy_"] = statistics.median(copies)
        self.rates["streaming"] = 8 * n / min(times.values()) / 1e6
        print(f"streaming: copy_ {8 * n / times['copy_'] / 1e6:.3f} TB/s, tilec's copy "
              f"{8 * n / times['tilec'] / 1e6:.3f}", flush=True)
        self.results.append({"case": "streaming", "us": times, "TB/s": self.rates["streaming"]})

    def copies(self, x, out):
        """tilec's copy of x to out, launched in turn and overlapping; in whole floats."""
        x, out = (v.view(-1)[:v.numel() // 2 * 2].view(torch.float32) for v in (x, out))
        kernel = self.tilec.compile("copy", "copy", {"T": b"float", "BLOCK": 16384})
        made = []
        for name in ("copy", "copy overlap"):
            run = self.tilec.prepare(kernel, [x, out, x.numel()], self.stream.cuda_stream, name != "copy")
            made.append(Contender(name, lambda i, run=run: run(), 1))
        return made

    def reading(self, x):
        """What the device reads at best of an array that is written nowhere."""
        if not triton:
            return
        out = torch.empty(1, device="cuda")
        contenders = []
        for block, k in ((4096, 8), (8192, 8), (8192, 16), (16384, 16)):
            def launch(i, block=block, k=k):
                triton_read[(x.numel() // block,)](x, out, block, num_warps=k)
            contenders.append(Contender(f"{block}/{k}", launch, 1))
        for contender in contenders:
            with torch.cuda.stream(self.stream):
                contender.launch(0)
        torch.cuda.synchronize()
        times = measure(contenders, self.stream, 300, self.options.rounds)
        best = min(times, key=times.get)
        moved = x.numel() * x.element_size()
        self.rates["reading"] = moved / times[best] / 1e6
        print(f"reading: {self.rates['reading']:.3f} TB/s ({best} elements/warps)", flush=True)
        self.results.append({"case": "reading", "us": times, "TB/s": self.rates["reading"]})

    def rows(self, norm, dtype, rows, n, sets, warps=(4, 8, 16, 32), block=None, kernel=None,
             compiled=True, spread=True, fixed=False):
        torch.manual_seed(rows + n)
        eps, limit = 1e-5, {torch.float32: 1e-6, torch.float16: 1e-3}[dtype]
        x = [torch.randn(rows, n, device="cuda").to(dtype) for _ in range(sets)]
        # As the graph of torch.compile has it: one output, apart from the inputs.
        out = torch.empty(max(rows * n, 1 << 21), device="cuda", dtype=dtype)[: rows * n]
        out = out.view(rows, n)
        w, b = (torch.randn(n, device="cuda").to(dtype) for _ in range(2))
        block = block or 1 << (n - 1).bit_length()
        functions = {
            "rmsnorm": lambda x: torch.nn.functional.rms_norm(x, (n,), w, eps),
            "layernorm": lambda x: torch.nn.functional.layer_norm(x, (n,), w, b, eps),
            "softmax": lambda x: torch.softmax(x, 1),
        }
        extra = {"rmsnorm": ([w], [eps]), "layernorm": ([w, b], [eps]), "softmax": ([], [])}[norm]
        overlap = self.options.overlap and sets == 1
        contenders = []
        for name, tilec in self.libraries.items():
            made = tilec.compile(norm, kernel or norm + "_tile", {"T": C_TYPES[dtype], "BLOCK": block})
            for overlaps in (False, True) if overlap else (False,):
                ours = [tilec.prepare(made, [x[i], *extra[0], out, rows, n, *extra[1]],
                                      self.stream.cuda_stream, overlaps) for i in range(sets)]
                contenders.append(Contender(name + " overlap" * overlaps, lambda i, ours=ours: ours[i](),
                                            sets))
        if fixed:
            # Made for these sizes alone, as the code of torch.compile is; "tilec" is not, nor Triton's.
            values = {"rows": rows, "N": n, "eps": eps}
            made = self.tilec.compile(norm, kernel or norm + "_tile",
                                      {"T": C_TYPES[dtype], "BLOCK": block, **values})
            same_sizes = [self.tilec.prepare(made, [x[i], *extra[0], out, rows, n, *extra[1]],
                                             self.stream.cuda_stream) for i in range(sets)]
            contenders.append(Contender("tilec fixed", lambda i: same_sizes[i](), sets))
        eager = functions[norm]
        if compiled and not self.options.no_compile:
            torch.compiler.reset()  # else it has compiled as often as it may, and runs eagerly
            fast = torch.compile(eager, dynamic=False)
            for i in range(2):
                fast(x[0])
            contenders.append(Contender("compile", lambda i: fast(x[i]), sets))
        contenders.append(Contender("torch", lambda i: eager(x[i]), sets))
        if triton and norm != "layernorm" and block <= 65536:
            for k, pdl in itertools.product(warps, (0, 1, 2) if overlap else (0,)):
                if norm == "rmsnorm":
                    def launch(i, k=k, pdl=pdl):
                        triton_rmsnorm[(rows,)](x[i], w, out, n, eps, block, pdl, num_warps=k,
                                                launch_pdl=pdl > 0)
                else:
                    def launch(i, k=k, pdl=pdl):
                        triton_softmax[(rows,)](x[i], out, n, block, pdl, num_warps=k,
                                                launch_pdl=pdl > 0)
                contenders.append(Contender(f"triton{k}{PDL_NAMES[pdl]}", launch, sets))
        wanted = self.reference(norm, x[0], w, b, eps)
        for contender in list(contenders):
            if contender.name in ("compile", "torch"):
                continue
            out.fill_(math.nan)
            torch.cuda.synchronize()
            try:
                with torch.cuda.stream(self.stream):
                    contender.launch(0)
                torch.cuda.synchronize()
            except Exception as error:
                print(f"  {contender.name} fails: {str(error)[:200]}", flush=True)
                contenders.remove(contender)
                continue
            if not same(out, wanted, contender.name, limit):
                self.wrong += contender.name.startswith("tilec")
                contenders.remove(contender)
        del wanted
        if overlap:
            contenders += self.copies(x[0], out)
        moved = 2 * rows * n * x[0].element_size()
        times = measure(contenders, self.stream, max(1.5, moved / 4e6), self.options.rounds)
        times = best_triton(times)
        case = f"{norm} {str(dtype)[6:]} [{rows}, {n}]"
        self.report_both(case, times, moved, contenders)
        if fixed:
            self.report("fixed " + case, times, moved, "tilec fixed", contenders=contenders)

    def reference(self, norm, x, w, b, eps):
        x = x.double()
        if norm == "softmax":
            return torch.softmax(x, 1)
        if norm == "rmsnorm":
            return x / (x.square().mean(1, keepdim=True) + eps).sqrt() * w.double()
        x = x - x.mean(1, keepdim=True)
        return x / (x.square().mean(1, keepdim=True) + eps).sqrt() * w.double() + b.double()

    def chain(self, dtype, rows, n):
        """Launches that depend on one another, with and without overlap."""
        torch.manual_seed(n)
        a, b = (torch.randn(rows, n, device="cuda").to(dtype) for _ in range(2))
        w = (1 + 0.1 * torch.randn(n, device="cuda")).to(dtype)
        first = a.clone()
        block, eps, depth = 1 << (n - 1).bit_length(), 1e-5, 40
        made = self.tilec.compile("rmsnorm", "rmsnorm_tile", {"T": C_TYPES[dtype], "BLOCK": block})
        names = []
        contenders = []
        for overlap in (False, True):
            pair = [self.tilec.prepare(made, [x, w, y, rows, n, eps], self.stream.cuda_stream,
                                       overlap) for x, y in ((a, b), (b, a))]
            contenders.append(Contender("tilec overlap" if overlap else "tilec",
                                        lambda i, pair=pair: pair[i](), 2))
        for k in (1, 2, 4, 8):
            for pdl in (0, 1, 2) if triton else ():
                def launch(i, k=k, pdl=pdl):
                    x, y = ((a, b), (b, a))[i]
                    triton_rmsnorm[(rows,)](x, w, y, n, eps, block, pdl, num_warps=k,
                                            launch_pdl=pdl > 0)
                contenders.append(Contender(f"triton{k}{PDL_NAMES[pdl]}", launch, 2))
        wanted = first
        for i in range(depth):
            wanted = self.reference("rmsnorm", wanted, w, None, eps).to(dtype)
        for contender in list(contenders):
            a.copy_(first)
            b.fill_(math.nan)
            torch.cuda.synchronize()
            try:
                with torch.cuda.stream(self.stream):
                    for i in range(depth):
                        contender.launch(i % 2)
                torch.cuda.synchronize()
            except Exception as error:
                print(f"  {contender.name} fails: {str(error)[:200]}", flush=True)
                contenders.remove(contender)
                continue
            if not same(a, wanted.double(), contender.name, 2e-2 if dtype == torch.float16 else 1e-4):
                self.wrong += contender.name.startswith("tilec")
                contenders.remove(contender)
        a.copy_(first)
        times = measure(contenders, self.stream, 1.5, self.options.rounds)
        times = best_triton(times)
        self.report(f"chain rmsnorm {str(dtype)[6:]} [{rows}, {n}]", times,
                    2 * rows * n * a.element_size(), "tilec overlap", contenders=contenders)

    def flat(self, name, file, kernel, blocks, inputs, function, dtype, n, scalars):
        x = [torch.randn(n, device="cuda").to(dtype) for _ in range(inputs)]
        out = torch.empty_like(x[0])
        wanted = function(*[v.double() for v in x])
        contenders = []
        for block in blocks:
            made = self.tilec.compile(file, kernel, {"T": C_TYPES[dtype], "BLOCK": block})
            ours = self.tilec.prepare(made, [*x, out, *scalars], self.stream.cuda_stream)
            out.fill_(math.nan)
            torch.cuda.synchronize()
            ours()
            torch.cuda.synchronize()
            self.wrong += not same(out, wanted, name, 1e-3 if dtype == torch.float16 else 1e-6)
            contenders.append(Contender(f"tilec {block}", lambda i, ours=ours: ours(), 1))
        del wanted
        if not self.options.no_compile:
            fast = torch.compile(function, dynamic=False)
            for i in range(2):
                fast(*x)
            contenders.append(Contender("compile", lambda i: fast(*x), 1))
        contenders.append(Contender("torch", lambda i: function(*x), 1))
        moved = (inputs + 1) * n * out.element_size()
        times = measure(contenders, self.stream, moved / 4e6, self.options.rounds)
        ours = [k for k in times if k.startswith("tilec")]
        self.report(f"{name} {str(dtype)[6:]} {n}", times, moved, min(ours, key=times.get))

    def transpose(self, dtype, m, n, block):
        x = torch.randn(m, n, device="cuda").to(dtype)
        out = torch.full((n, m), math.nan, device="cuda", dtype=dtype)
        made = self.tilec.compile("transpose", "transpose", {"T": C_TYPES[dtype], **block})
        contenders = [Contender("torch", lambda i: x.t().contiguous(), 1)]
        for name in ("tilec", "tilec overlap") if self.options.overlap else ("tilec",):
            ours = self.tilec.prepare(made, [x, out, m, n], self.stream.cuda_stream, name != "tilec")
            out.fill_(math.nan)
            torch.cuda.synchronize()
            ours()
            torch.cuda.synchronize()
            self.wrong += not same(out, x.t().double(), name, 0)
            contenders.append(Contender(name, lambda i, ours=ours: ours(), 1))
        if self.options.overlap:
            contenders += self.copies(x, out)
        moved = 2 * m * n * x.element_size()
        times = measure(contenders, self.stream, moved / 4e6, self.options.rounds)
        self.report_both(f"transpose {str(dtype)[6:]} [{m}, {n}] {block}", times, moved)

    def total(self, n):
        x = torch.rand(n, device="cuda")
        self.reading(x)
        out = torch.full((1,), math.nan, device="cuda")
        contenders = []
        for each in (8, 16, 32): # programs for each multiprocessor
            programs = 132 * each
            parts = torch.full((programs,), math.nan, device="cuda")
            one = self.tilec.compile("sum", "sum_parts", {"T": b"float", "BLOCK": 4096})
            two = self.tilec.compile("sum", "sum_total", {"BLOCK": 1 << (programs - 1).bit_length()})
            first = self.tilec.prepare(one, [x, parts, n, programs], self.stream.cuda_stream)
            second = self.tilec.prepare(two, [parts, out, programs], self.stream.cuda_stream, True)

            def ours(i, first=first, second=second):
                first()
                second()

            answers = set()
            for _ in range(5):
                out.fill_(math.nan)
                parts.fill_(math.nan)
                torch.cuda.synchronize()
                ours(0)
                torch.cuda.synchronize()
                answers.add(out.item())
            if len(answers) > 1:
                print(f"  WRONG: sum differs between launches: {answers}", flush=True)
            self.wrong += len(answers) > 1
            self.wrong += not same(out, x.double().sum().reshape(1), "sum", 1e-6)
            contenders.append(Contender(f"tilec {each}", ours, 1))
        contenders.append(Contender("torch", lambda i: torch.sum(x), 1))
        times = measure(contenders, self.stream, n / 1e6, self.options.rounds)
        mine = [k for k in times if k.startswith("tilec")]
        self.report(f"sum float32 {n}", times, 4 * n, min(mine, key=times.get), "reading")

    def product(self, kind, dtype, shape):
        """C = A B against cuBLAS: one contender for each variant that compiles and is right."""
        m, n, k = shape
        torch.manual_seed(m + n + k)
        limit = {FLOAT: 5e-6, HALF: 1e-3}[dtype]
        a, b = (torch.randn(*s, device="cuda").to(dtype) for s in ((m, k), (k, n)))
        out = torch.empty(m, n, device="cuda", dtype=dtype)
        wanted = a.double() @ b.double()
        contenders = []
        for variant, (library, tilec) in itertools.product(self.options.variant or VARIANTS[kind, dtype],
                                                           self.libraries.items()):
            words = variant.split(",")
            blocks = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), words))
            name = f"{library} " + "x".join(words[:3]) + "".join(" " + w for w in words[3:])
            try:
                made = tilec.compile("gemm", "gemm", {"T": C_TYPES[dtype], **blocks},
                                     ", ".join(words[3:]))
                ours = tilec.prepare(made, [a, b, out, m, n, k], self.stream.cuda_stream)
            except RuntimeError as error:
                print(f"  {name} fails: {str(error)[:300]}", flush=True)
                continue
            out.fill_(math.nan)
            torch.cuda.synchronize()
            ours()
            torch.cuda.synchronize()
            if same(out, wanted, name, limit):
                contenders.append(Contender(name, lambda i, ours=ours: ours(), 1))
            else:
                self.wrong += 1
        with torch.cuda.stream(self.stream):
            torch.matmul(a, b, out=out)
        torch.cuda.synchronize()
        if same(out, wanted, "cuBLAS", limit):
            contenders.append(Contender("cuBLAS", lambda i: torch.matmul(a, b, out=out), 1))
        del wanted
        flops = 2 * m * n * k
        times = measure(contenders, self.stream, max(2, flops / 5e7), self.options.rounds)
        ours = {name: us for name, us in times.items() if is_ours(name)}
        best = min(ours, key=ours.get) if ours else None
        speedup = times["cuBLAS"] / ours[best] if best and "cuBLAS" in times else math.nan
        case = "product " + product_name(dtype, shape)
        self.results.append({"case": case, "us": times, "best": best, "speedup": speedup})
        for name, us in times.items():
            print(f"  {name}: {us:.2f} us, {flops / us / 1e6:.2f} TFLOP/s", flush=True)
        print(f"{case}: {speedup:.3f}x with {best}", flush=True)

    def attention(self, dtype, heads, n, d, causal):
        """softmax(Q K^T / sqrt(d)) V of every head, against torch's scaled_dot_product_attention, which
        chooses among its own, and Triton."""
        torch.manual_seed(n + d)
        q, k, v = (torch.randn(heads, n, d, device="cuda").to(dtype) for _ in range(3))
        out, scale = torch.empty_like(q), 1 / math.sqrt(d)
        scores = q.double() @ k.double().transpose(1, 2) * scale
        if causal:
            scores.masked_fill_(torch.ones(n, n, device="cuda", dtype=torch.bool).triu(1), -math.inf)
        wanted = torch.softmax(scores, 2) @ v.double()
        del scores
        contenders = []

        def add(name, launch):
            out.fill_(math.nan)
            torch.cuda.synchronize()
            try:
                with torch.cuda.stream(self.stream):
                    launch(0)
                torch.cuda.synchronize()
            except Exception as error:
                print(f"  {name} fails: {str(error)[:300]}", flush=True)
                return
            if same(out, wanted, name, 2e-3):
                contenders.append(Contender(name, launch, 1))
            else:
                self.wrong += name.startswith("tilec")

        for blocks in self.options.blocks or ATTENTION_BLOCKS:
            words = blocks.split(",")
            for library, tilec in self.libraries.items():
                name = f"{library} {words[0]}x{words[1]}" + "".join(" " + w for w in words[2:])
                try:
                    made = tilec.compile("attention", "attention",
                                         {"T": C_TYPES[dtype], "D": d, "BLOCK_M": words[0],
                                          "BLOCK_N": words[1]}, ", ".join(words[2:]))
                    ours = tilec.prepare(made, [q, k, v, out, heads, n, n, scale, causal],
                                         self.stream.cuda_stream)
                except RuntimeError as error:
                    print(f"  {name} fails: {str(error)[:300]}", flush=True)
                    continue
                add(name, lambda i, ours=ours: ours())
        for m, keys, warps, stages in TRITON_BLOCKS if triton else ():
            if n % m or n % keys:
                continue

            def launch(i, m=m, keys=keys, warps=warps, stages=stages):
                triton_attention[(n // m, heads)](q, k, v, out, n, scale, d, m, keys, causal,
                                                  num_warps=warps, num_stages=stages)
            add(f"triton {m}x{keys}/{warps}/{stages}", launch)
        batch = [x.unsqueeze(0) for x in (q, k, v)]

        def sdpa():
            return torch.nn.functional.scaled_dot_product_attention(*batch, is_causal=bool(causal))

        if same(sdpa()[0], wanted, "torch", 2e-3):
            contenders.append(Contender("torch", lambda i: sdpa(), 1))
        del wanted
        flops = 4 * heads * n * n * d // (2 if causal else 1)
        times = best_triton(measure(contenders, self.stream, max(10, flops / 3e8), self.options.rounds))
        ours = {name: us for name, us in times.items() if is_ours(name)}
        best = min(ours, key=ours.get) if ours else None
        peer = min((us for name, us in times.items() if not name.startswith("tilec")), default=math.nan)
        speedup = peer / ours[best] if best else math.nan
        case = f"attention {C_TYPES[dtype].decode()} [{heads}, {n}, {d}]{' causal' * causal}"
        self.results.append({"case": case, "us": times, "best": best, "speedup": speedup})
        for name, us in times.items():
            print(f"  {name}: {us:.2f} us, {flops / us / 1e6:.1f} TFLOP/s", flush=True)
        print(f"{case}: {speedup:.3f}x with {best}", flush=True)

    def host(self):
        """Host time of a launch, beyond what the driver takes."""
        import time
        x = torch.randn(1, 1024, device="cuda")
        w, out = torch.randn(1024, device="cuda"), torch.empty(1, 1024, device="cuda")
        made = self.tilec.compile("rmsnorm", "rmsnorm_tile", {"T": b"float", "BLOCK": 1024})
        run = self.tilec.prepare(made, [x, w, out, 1, 1024, 1e-5], self.stream.cuda_stream)
        best = math.inf
        for _ in range(30):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(100):
                run()
            best = min(best, (time.perf_counter() - begin) / 100)
        print(f"host: {best * 1e6:.2f} us per prepared launch through ctypes, the driver's part "
              "included", flush=True)

    def run(self):
        half, float32 = torch.float16, torch.float32
        words = set().union(*(product_words(*p) for p in PRODUCTS), {"attention"},
                            (f"attention-{n}-{d}" + "-causal" * causal for _, n, d, causal in ATTENTION))
        if not self.options.only or not set(self.options.only) <= words:
            self.streaming()
        if self.wanted("host"):
            self.host()
        if self.wanted("rmsnorm"):
            for dtype in (half, float32):
                for n in (1009, 1024):
                    for rows in (1, 32, 256):
                        self.rows("rmsnorm", dtype, rows, n, 4, (1, 2, 4, 8, 16), fixed=True)
        if self.wanted("chain"):
            for dtype in (half, float32):
                for n in (1009, 1024):
                    for rows in (1, 32, 256):
                        self.chain(dtype, rows, n)
        for norm in ("rmsnorm", "layernorm", "softmax"):
            if self.wanted("large") or self.wanted(norm + "-large"):
                for dtype in (half, float32):
                    for rows, n in ((16384, 4096), (32768, 8192)):
                        self.rows(norm, dtype, rows, n, 1)
        for shape in self.options.shape or []:
            norm, kind, rows, n = shape.split(",")
            self.rows(norm, {"half": half, "float": float32}[kind], int(rows), int(n), 1)
        if self.wanted("wide"):
            self.rows("softmax", float32, 8192, 32768, 1)
            for rows, n in ((4096, 65536), (2048, 131072)):
                self.rows("softmax", float32, rows, n, 1)
            for norm in ("rmsnorm", "layernorm"):
                self.rows(norm, float32, 4096, 65536, 1)
                self.rows(norm, half, 4096, 65536, 1)
            self.rows("softmax", half, 4096, 65536, 1)
        if self.wanted("flat"):
            n = 8192 * 8192
            silu = torch.nn.functional.silu
            for dtype in (half, float32):
                blocks = (1024, 2048, 4096)
                self.flat("silu", "activations", "silu", blocks, 1, silu, dtype, n, [n])
                self.flat("add", "vector_add", "vector_add", blocks, 2, torch.add, dtype, n, [n])
        if self.wanted("transpose"):
            for dtype in (half, float32):
                for m, n in ((64, 64), (64, 128), (128, 64), (128, 128), (64, 256)):
                    self.transpose(dtype, 8192, 8192, {"BLOCK_M": m, "BLOCK_N": n})
        if self.wanted("sum"):
            self.total(1 << 28)
        for heads, n, d, causal in ATTENTION:
            words = {"attention", f"attention-{n}-{d}" + "-causal" * causal}
            if not self.options.only or words & set(self.options.only):
                self.attention(half, heads, n, d, causal)
        torch.backends.cuda.matmul.allow_tf32 = False
        for product in PRODUCTS:
            if not self.options.only or product_words(*product) & set(self.options.only):
                self.product(*product)
        for kind in ("rmsnorm", "fixed rmsnorm"):
            ratios = [r["speedup"] for r in self.results if r["case"].startswith(kind)
                      and r["us"].get("tilec", math.inf) < 5]
            if ratios:
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                print(f"small {kind}: geometric mean {mean:.3f}x, least {min(ratios):.3f}x")
        if self.options.json:
            with open(self.options.json, "w", encoding="utf-8") as file:
                json.dump({"device": torch.cuda.get_device_name(0), "torch": torch.__version__,
                           "triton": triton.__version__ if triton else None,
                           "results": self.results}, file, indent=1)
        return self.wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lib", default="build/libtilec.so")
    parser.add_argument("--kernels", default="kernels")
    parser.add_argument("--only", type=lambda s: s.split(","))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json")
    parser.add_argument("--variant", action="append")
    parser.add_argument("--blocks", action="append", metavar="M,N[,REQUIREMENT=VALUE...]",
                        help="of attention: blocks of rows and keys to be tried; may be repeated")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile")
    parser.add_argument("--beside", metavar="PATH", help="a second library, whose kernels take turns with ours")
    parser.add_argument("--shape", action="append", metavar="NORM,TYPE,ROWS,N",
                        help="only rows of this shape; may be repeated")
    parser.add_argument("--overlap", action="store_true",
                        help="large rows and transposes also by launches that overlap")
    parser.add_argument("--lab", metavar="EXPERIMENT", help="run an experiment of the lab")
    parser.add_argument("--baseline", help="the export that its frozen arms are compiled from")
    parser.add_argument("--case", action="append", help="only this case of it; may be repeated")
    parser.add_argument("-o", "--output", help="where its record goes; default: standard output")
    if not torch.cuda.is_available():
        print("skipped: there is no NVIDIA GPU")
        return 77
    options = parser.parse_args()
    if options.shape and not options.only:
        options.only = ["shapes"]
    if options.lab:
        import lab_peers
        return lab_peers.lab(options, sys.modules[__name__])
    wrong = Bench(options).run()
    print("every result is right" if not wrong else f"{wrong} results are WRONG")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
