# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files for tests of `upsweep report`: those of the tool where it can make them here, and others of
the same form with numbers that are known: of benches, of a GPU, of a model."""

import json
import subprocess

MACHINE = {"program": "upsweep bench", "version": "0.1.0", "date": "2026-11-30T12:00:00Z",
           "cpu": "Test CPU", "cores": 2, "threads": 2,
           "caches": {"l1d": 32768, "l2": 1 << 20, "l3": 32 << 20}, "simd": "avx2",
           "compiler": "g++ 12.2.0"}
GPU = {"index": 0, "name": "Test H9", "memory": 128 << 30, "multiprocessors": 100, "l2": 50 << 20,
       "driver": "13.0", "runtime": "13.0", "cub": "3.0.1"}
RATES = {"memcpy-1": 40.0, "std": 10.0, "tbb": 12.0, "upsweep-seq": 30.0, "upsweep-par": 38.0}
GPU_RATES = {"memcpy": 4000.0, "cub": 2400.0, "upsweep-cuda": 3600.0}

# Command lines of the tool, and the names of the files with what they print.
COMMANDS = {
    "trace.json": ["lab", "trace", "blelloch", "--input", "3,1,7,0,4,1,6,3", "--exclusive", "--json"],
    "tiles.json": ["lab", "trace", "hierarchical", "--input", "3,1,7,0,4,1,6,3", "--block", "4",
                   "--json"],
    "banks.json": ["lab", "banks", "blelloch", "--n", "256", "--json"],
    "index.json": ["lab", "banks", "--index", "2*t", "--json"],
    "races.json": ["lab", "check", "hillis-steele-racy", "--n", "8", "--schedules", "0", "--json"],
    "run.json": ["lab", "run", "hierarchical", "--n", "1000", "--json"],
}


def bench_result(engine, rate, n, device="cpu", type_="f32", **more):
    seconds = 8 * n / rate * 1e-9
    return {"engine": engine, "device": device, "op": "sum", "type": type_, "kind": "inclusive",
            "n": n, "bytes": 8 * n, "median_s": seconds,
            "samples_s": [0.9 * seconds, seconds, 1.1 * seconds], "gb_per_s": rate, **more}


def cpu_bench():
    """Rates that grow with n, errors of two kinds; and an array."""
    results = []
    for k in range(10, 21, 2):
        for engine, rate in RATES.items():
            error = {} if engine == "memcpy-1" else \
                {"error": 2e-7 if engine.startswith("upsweep") else 1e-7 * 2 ** (k / 2)}
            results.append(bench_result(engine, rate * k / 20, 1 << k, **error))
    results += [bench_result(e, r, 1 << 20, shape=[1024, 1024], axis=0) for e, r in RATES.items()]
    return {"machine": MACHINE, "results": results}


def gpu_bench():
    results = [bench_result(engine, rate * min(1, 2.0 ** (k - 20)), 1 << k, device="cuda",
                            latency="back-to-back", cold=False,
                            **({"error": 3e-7} if engine != "memcpy" else {}))
               for k in range(10, 27, 4) for engine, rate in GPU_RATES.items()]
    return {"machine": {**MACHINE, "gpu": GPU}, "results": results}


def lab_run(kernel, n, micro, device=GPU["name"], **more):
    return {"program": "upsweep lab run", "kernel": kernel, "op": "sum", "n": n, "exclusive": False,
            "device": "cuda", "verified": True, "mismatches": 0, "worst_error": 1e-6,
            "tolerance": 1e-4, "canonical_bits": False, "gpu": device, "repeat": 20,
            "launches": [{"kernel": kernel, "median_ms": micro * 1e-3, "least_ms": micro * 9e-4}],
            "median_ms": micro * 1e-3, "least_ms": micro * 9e-4,
            "gb_per_s": 8 * n / micro * 1e-3, "copy_gb_per_s": 4000.0,
            "share_of_copy": 8 * n / micro * 1e-3 / 4000.0, **more}


def prediction(kernel, n, micro, **terms):
    """A kernel of a model: 8 bytes and two adds an element; terms in microseconds."""
    seconds = {f"{name}_s": terms.get(name, 0.0) * 1e-6
               for name in ("bandwidth", "alu", "shared", "barrier", "latency", "launch")}
    return {"kernel": kernel, "n": n, "block": 256, "launches": 1, "dram_bytes": 8.0 * n,
            "operations": 2.0 * n, "intensity_adds_per_byte": 0.25, **seconds,
            "time_s": micro * 1e-6, "bound": max(terms, key=terms.get) if terms else "bandwidth",
            "waves": 2.25, "occupancy": {"blocks": 2, "warps": 64, "share": 1.0, "limit": "threads"},
            "bytes_in_flight_needed": 780000, "bytes_in_flight_possible": 884000}


def model(device="h9"):
    kernels = [prediction("lookback", 1 << 10, 4.0, launch=3.0, bandwidth=0.002),
               prediction("lookback", 1 << 26, 200.0, launch=3.0, bandwidth=190.0),
               prediction("blelloch", 1 << 10, 8.0, launch=3.0, barrier=4.0)]
    return {"program": "upsweep lab model", "device": {"name": device}, "n": 1 << 26, "op": "sum",
            "type": "f32", "roofline": {"bytes_per_s": 4e12, "adds_per_s": 2e13,
                                        "ridge_adds_per_byte": 5.0}, "kernels": kernels}


def documents(tool):
    """All files by name, as what their JSON holds."""
    files = {}
    for name, words in COMMANDS.items():
        done = subprocess.run([tool, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=60)
        files[name] = json.loads(done.stdout)
    files["cpu.json"] = cpu_bench()
    files["gpu.json"] = gpu_bench()
    files["model.json"] = model()
    files["lookback_small.json"] = lab_run("lookback", 1 << 10, 9.0)
    files["lookback_large.json"] = lab_run("lookback", 1 << 26, 210.0)
    files["blelloch.json"] = lab_run("blelloch", 1 << 10, 10.0)
    return files


# What each kind of file makes.
SECTIONS = {"cpu.json": {"bandwidth", "ratios", "accuracy"},
            "gpu.json": {"bandwidth", "ratios", "accuracy"},
            "trace.json": {"traces"}, "tiles.json": {"traces"}, "banks.json": {"banks"},
            "index.json": {"banks"}, "races.json": {"races"}, "run.json": {"counts"},
            "model.json": {"roofline"}, "lookback_small.json": {"times"}}
