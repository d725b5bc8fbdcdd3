# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long sources that use tilewise take to compile, beside the same with the standard library, Thrust and CUB.

For `scripts/bench compile`. Sources are compiled one at a time and in turn, so that what disturbs the machine for a
while disturbs all of them.
"""

import os
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GCC = ["g++", "-std=c++20", "-O3"]
NVCC = [shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", "-std=c++20", "-O3", "-arch=sm_90"]
LINKED = {False: ["-DTILEWISE_LINKED_THREADS"], True: ["-DTILEWISE_LINKED_THREADS", "-DTILEWISE_LINKED_CUDA"]} # by nvcc
COMPILED = ["-DTILEWISE_LINKED_THREADS", "-DTILEWISE_COMPILED"]
OUTPUT = "compile_time.o"


@dataclass(frozen=True)
class Source:
    """A file to compile."""
    group: str     # of the table: what is done in it
    who: str       # the library that does it
    headers: tuple # what it includes
    body: str = ""
    kernels: bool = True # for nvcc; otherwise for g++
    linked: bool = False # as in a project that links tilewise::tilewise with CMake
    compiled: bool = False # likewise tilewise::compiled: a .cpp file

    def text(self):
        return "".join(f"#include <{header}>\n" for header in self.headers) + self.body


SUM = "float f(float const* first, float const* last) {{ return {}, first, last, 0.0F); }}\n"
SCAN = "void f(float const* first, float const* last, float* out) {{ {}, first, last, out); }}\n"
THRUST = ("thrust/execution_policy.h",)
FILES = [
    Source("including in a .cpp", "an empty file", (), kernels=False),
    Source("including in a .cpp", "`<numeric>` and `<execution>`", ("numeric", "execution"), kernels=False),
    Source("including in a .cpp", "`<tilewise/reduce.hpp>`", ("tilewise/reduce.hpp",), kernels=False),
    Source("including in a .cpp", "`<tilewise/tilewise.hpp>`", ("tilewise/tilewise.hpp",), kernels=False),
    Source("including in a .cu", "an empty file", ()),
    Source("including in a .cu", "`<tilewise/tilewise.hpp>`", ("tilewise/tilewise.hpp",)),
    Source("a reduce", "tilewise", ("tilewise/reduce.hpp",), SUM.format("tilewise::reduce(tilewise::device")),
    Source("a reduce", "Thrust", (*THRUST, "thrust/reduce.h"), SUM.format("thrust::reduce(thrust::device")),
    Source("an inclusive_scan", "tilewise", ("tilewise/scan.hpp",),
           SCAN.format("tilewise::inclusive_scan(tilewise::device")),
    Source("an inclusive_scan", "Thrust", (*THRUST, "thrust/scan.h"),
           SCAN.format("thrust::inclusive_scan(thrust::device")),
    Source("a histogram", "tilewise", ("tilewise/histogram.hpp",), """
void f(float const* first, float const* last, unsigned* counts)
{
    tilewise::histogram(tilewise::device, first, last, 256, 0.0F, 1.0F, counts);
}
"""),
    Source("a histogram", "CUB", ("cub/device/device_histogram.cuh",), """
void f(void* scratch, std::size_t& bytes, float const* first, int n, unsigned* counts)
{
    cub::DeviceHistogram::HistogramEven(scratch, bytes, first, counts, 257, 0.0F, 1.0F, n);
}
"""),
]


def variants(source):
    """A source; right after it, if it uses tilewise, those that link definitions, and kernels."""
    if "tilewise" in source.who:
        yield from (source, replace(source, who=f"{source.who}, linked", linked=True))
        if source.kernels and source.body:
            yield replace(source, who=f"{source.who}, compiled", kernels=False, compiled=True)
    else:
        yield source


SOURCES = [each for source in FILES for each in variants(source)]
TARGETS = [ # the most processor time of tilewise, as a share of another's
    ("a reduce", "tilewise, linked", "Thrust", 0.5),
    ("a reduce", "tilewise, compiled", "Thrust", 0.5),
    ("an inclusive_scan", "tilewise, linked", "Thrust", 0.55),
    ("an inclusive_scan", "tilewise, compiled", "Thrust", 0.55),
    ("a histogram", "tilewise, linked", "CUB", 0.9),
    ("a histogram", "tilewise, compiled", "CUB", 0.9),
    ("including in a .cpp", "`<tilewise/tilewise.hpp>`, linked", "`<numeric>` and `<execution>`", 0.5),
]


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def has_nvcc():
    return shutil.which(NVCC[0]) is not None


def version_of_nvcc():
    """The versions of nvcc and of the Thrust and CUB that come with it, for which Thrust's number is asked."""
    release = output(NVCC[0], "--version").split("release ")[-1].split(",")[0]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "version.cu"
        source.write_text("#include <thrust/version.h>\nversion THRUST_VERSION\n", encoding="utf-8")
        number = int(output(NVCC[0], "-E", str(source)).split()[-1])
    return f"nvcc {release}, Thrust and CUB {number // 100000}.{number // 100 % 1000}.{number % 100}"


def command(source, path):
    options = LINKED[source.kernels] if source.linked else COMPILED if source.compiled else []
    return [*(NVCC if source.kernels else GCC), *options, f"-I{ROOT / 'include'}", str(path)]


def processor_time():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def seconds(source, folder):
    """How long it takes to compile a source in `folder`, and how long a processor works for that."""
    path = folder / f"{SOURCES.index(source)}.{'cu' if source.kernels else 'cpp'}"
    path.write_text(source.text(), encoding="utf-8")
    start, used = time.perf_counter(), processor_time()
    subprocess.run([*command(source, path), "-c", "-o", str(folder / OUTPUT)], check=True,
                   env={**os.environ, "CCACHE_DISABLE": "1"})
    return time.perf_counter() - start, processor_time() - used


def headers(source, folder):
    """The number of files that a source includes, the compiler's own among them."""
    path = folder / f"headers.{'cu' if source.kernels else 'cpp'}"
    path.write_text(source.text(), encoding="utf-8")
    rule = output(*command(source, path), "-M").replace("\\\n", " ").split(":", 1)[1]
    return len(set(rule.split())) - 1


def measure(where, repetitions, pattern):
    """The result of a run; `where` says on which machine it is."""
    sources = [source for source in SOURCES if (has_nvcc() or not source.kernels)
               and re.search(pattern, f"{source.group}/{source.who}")]
    if has_nvcc():
        where = {**where, "compiler": f"{where['compiler']}; {version_of_nvcc()}, -O3 -arch=sm_90"}
    samples = {source: [] for source in sources}
    with tempfile.TemporaryDirectory() as folder:
        counts = {source: headers(source, Path(folder)) for source in sources} # and reads all files once
        for _ in range(repetitions):
            for source in sources:
                samples[source].append(seconds(source, Path(folder)))
    rows = []
    for source, pairs in samples.items():
        elapsed, processor = zip(*pairs)
        rows.append({"what": source.group, "who": source.who, "median": round(statistics.median(elapsed), 3),
                     "least": round(min(elapsed), 3), "most": round(max(elapsed), 3),
                     "processor": round(statistics.median(processor), 3), "headers": counts[source],
                     "repetitions": len(pairs)})
    return {"where": where, "unit": "seconds", "rows": rows}


def markdown(result):
    """The tables of a result."""
    where, rows = result["where"], result["rows"]
    lines = [f"{where['machine']}; {where['compiler']}; {where['date']}; commit {where['commit']}.",
             f"Wall-clock seconds: median, minimum and maximum of {min(row['repetitions'] for row in rows)} repetitions; "
             "the sources are compiled in turn. User time: the median, in seconds; targets are ratios of user times. "
             "Headers: all included files, for nvcc also those of CUDA. Linked: as in a project that links "
             "`tilewise::tilewise` with CMake. Compiled: a .cpp file in a project that links `tilewise::compiled`, which "
             "has the kernels for [some types and operators](../compiled.md).", ""]
    used = {(row["what"], row["who"]): row["processor"] for row in rows}
    shares = [(f"{what}: {who} / {other}", share, used[what, who] / used[what, other])
              for what, who, other, share in TARGETS if (what, who) in used and (what, other) in used]
    lines += ["| target | result |  |", "|---|---|---|"]
    lines += [f"| {text}: <= {share} | {value:.2f} | {'met' if value <= share else 'missed'} |"
              for text, share, value in shares]
    lines += ["", "| source | with | seconds | minimum | maximum | user time | headers |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {row['what']} | {row['who']} | {row['median']:.2f} | {row['least']:.2f} | {row['most']:.2f} | "
              f"{row['processor']:.2f} | {row['headers']} |" for row in rows]
    return "\n".join(lines) + "\n"
