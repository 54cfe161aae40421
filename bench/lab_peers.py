"""Triton and torch as arms of the lab's experiments on an NVIDIA GPU (docs/lab.md): what 'gpu_peers.py
--lab' does. The lab measures, in this process: all arms get the same arrays in the device's memory and
queue their work on one stream, which the lab captures into graphs and replays. Here are only the
functions that queue a peer's work.
"""
import ctypes as c
import hashlib
import sys

import torch

# ---- tilec/lab.h ---------------------------------------------------------------------------------


class LabText(c.Structure):
    _fields_ = [("text", c.c_char_p), ("length", c.c_size_t), ("error", c.c_char_p)]


class LabDimension(c.Structure):
    _fields_ = [("name", c.c_char_p), ("size", c.c_int64)]


class LabTensor(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", c.c_int), ("is_output", c.c_int), ("rank", c.c_int),
                ("shape", c.POINTER(c.c_int64)), ("data", c.c_void_p)]


class LabCase(c.Structure):
    _fields_ = [("size", c.c_size_t), ("problem", c.c_char_p), ("name", c.c_char_p),
                ("type", c.c_int), ("dimension_count", c.c_size_t),
                ("dimensions", c.POINTER(LabDimension)), ("tensor_count", c.c_size_t),
                ("tensors", c.POINTER(LabTensor)), ("epsilon", c.c_double), ("threads", c.c_int),
                ("target", c.c_char_p), ("stream", c.c_void_p)]


LAB_OPEN = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(LabCase), c.POINTER(c.c_void_p), c.c_void_p,
                       c.c_size_t)
LAB_RUN = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(c.c_double))
LAB_CLOSE = c.CFUNCTYPE(None, c.c_void_p)
LAB_QUEUE = c.CFUNCTYPE(c.c_int, c.c_void_p)


class LabExternal(c.Structure):
    _fields_ = [("name", c.c_char_p), ("version", c.c_char_p), ("user", c.c_void_p),
                ("open", LAB_OPEN), ("run", LAB_RUN), ("close", LAB_CLOSE),
                ("has_device_time", c.c_int), ("queue", LAB_QUEUE)]


class LabOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("target", c.c_char_p), ("baseline", c.c_char_p),
                ("cache_directory", c.c_char_p), ("externals", c.POINTER(LabExternal)),
                ("external_count", c.c_size_t), ("cases", c.POINTER(c.c_char_p)),
                ("case_count", c.c_size_t), ("progress", c.c_void_p), ("user", c.c_void_p),
                ("now", c.c_void_p), ("clock_user", c.c_void_p)]


OK, ERROR_TARGET, ERROR_FAULT = 0, 7, 10
LAB_TYPES = {11: (torch.float32, "<f4"), 9: (torch.float16, "<f2")}


# ---- the peers -----------------------------------------------------------------------------------


class Borrowed:
    """The lab's array, for torch.as_tensor: nothing is copied."""

    def __init__(self, tensor):
        shape = tuple(tensor.shape[i] for i in range(tensor.rank))
        self.__cuda_array_interface__ = {"shape": shape, "typestr": LAB_TYPES[tensor.type][1],
                                         "data": (tensor.data, False), "version": 3}


class Refused(Exception):
    """What a peer cannot compute."""


def torch_arm(peers, problem, x, stream):
    """compute(): queues on the current stream; its result, or None where that is the lab's array."""
    if problem == "rmsnorm":
        return lambda: torch.nn.functional.rms_norm(x["X"], (x["X"].shape[1],), x["W"], x["eps"])
    if problem == "gemm":
        def compute():
            torch.mm(x["A"], x["B"], out=x["C"])
        return compute
    raise Refused(f"torch's arm does not compute '{problem}'")


TRITON_WARPS = (1, 2, 4, 8, 16)


def triton_arm(peers, problem, x, stream):
    """The fastest number of warps for the case, found before anything of the lab is timed."""
    if problem != "rmsnorm":
        raise Refused(f"Triton's arm does not compute '{problem}'")
    rows, n = x["X"].shape
    block = 1 << (n - 1).bit_length()

    def launch(warps):
        peers.triton_rmsnorm[(rows,)](x["X"], x["W"], x["Out"], n, x["eps"], block, 0,
                                num_warps=warps)

    times = peers.measure([peers.Contender(str(k), lambda i, k=k: launch(k), 1)
                           for k in TRITON_WARPS], stream, 5, 5)
    best = int(min(times, key=times.get))
    return lambda: launch(best)


# ---- as callbacks --------------------------------------------------------------------------------


class LabArms:
    """One library's arms, as callbacks of tilec_lab_external."""

    def __init__(self, peers, name, version, make):
        self.peers, self.make, self.arms = peers, make, {}
        self.external = LabExternal(name, version.encode(), None, LAB_OPEN(self.open),
                                    LAB_RUN(self.run), LAB_CLOSE(self.close), 0,
                                    LAB_QUEUE(self.queue))

    def open(self, _, case, arm, why, why_size):
        try:
            case = case.contents
            tensors = [case.tensors[i] for i in range(case.tensor_count)]
            x = {t.name.decode(): torch.as_tensor(Borrowed(t), device="cuda") for t in tensors}
            for t in tensors: # a copy would be measured in place of the lab's array
                assert x[t.name.decode()].data_ptr() == t.data
            x["eps"] = case.epsilon
            stream = torch.cuda.ExternalStream(case.stream)
            out = next(x[t.name.decode()] for t in tensors if t.is_output)
            key = len(self.arms) + 1
            self.arms[key] = (stream, self.make(self.peers, case.problem.decode(), x, stream),
                              out)
            arm[0] = key
            return OK
        except Exception as error:  # what goes wrong belongs into the record
            text = str(error).encode()[:why_size - 1] + b"\0"
            c.memmove(why, text, len(text))
            return ERROR_TARGET

    def queue(self, arm):
        """One computation on the lab's stream, which may be captured."""
        try:
            stream, compute, _ = self.arms[arm]
            with torch.cuda.stream(stream):
                compute()
            return OK
        except Exception as error:
            print(f"gpu_peers: {error}", file=sys.stderr)
            return ERROR_FAULT

    def run(self, arm, _):
        """The same computation with its result in the lab's array: what is checked."""
        try:
            stream, compute, out = self.arms[arm]
            with torch.cuda.stream(stream):
                result = compute()
                if result is not None:
                    out.copy_(result)
            stream.synchronize()
            return OK
        except Exception as error:
            print(f"gpu_peers: {error}", file=sys.stderr)
            return ERROR_FAULT

    def close(self, arm):
        torch.cuda.synchronize()
        self.arms[arm] = None


def lab(options, peers):
    """peers: the module gpu_peers."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    digest = hashlib.sha256()
    for path in (peers.__file__, __file__):
        with open(path, "rb") as file:
            digest.update(file.read())
    scripts = "gpu_peers.py and lab_peers.py " + digest.hexdigest()
    arms = [LabArms(peers, b"torch", f"torch {torch.__version__}, eager; {scripts}", torch_arm)]
    if peers.triton:
        arms.append(LabArms(peers, b"triton", f"Triton {peers.triton.__version__}, fastest of "
                            f"{', '.join(map(str, TRITON_WARPS))} warps; {scripts}", triton_arm))
    externals = (LabExternal * len(arms))(*[a.external for a in arms])
    names = [n.encode() for n in options.case or []]
    cases = (c.c_char_p * len(names))(*names)
    lab_options = LabOptions(size=c.sizeof(LabOptions), target=b"cuda", externals=externals,
                             external_count=len(arms), cases=cases, case_count=len(names),
                             baseline=options.baseline.encode() if options.baseline else None)
    library, text = c.CDLL(options.lib), LabText()
    status = library.tilec_lab_run(options.lab.encode(), c.byref(lab_options), c.byref(text))
    if status:
        print(f"gpu_peers: {(text.error or b'status %d' % status).decode()}", file=sys.stderr)
    elif options.output:
        with open(options.output, "wb") as file:
            file.write(text.text)
    else:
        sys.stdout.write(text.text.decode())
    library.tilec_lab_text_free(c.byref(text))
    return 1 if status else 0
