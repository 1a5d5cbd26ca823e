#!/usr/bin/env python3
"""Time and memory that `tacho compare` and `tacho changes --from` need for large files.

    benches/large-files.py TACHO [--only PART] [--doublings 3] [--longest 60]

Each case has files of doubling size in one format. Growth is the time beside that of half the size:
about 2 is linear, 4 is quadratic. A case ends when one command takes longer than --longest seconds.
"""
import argparse, json, os, random, resource, shutil, subprocess, sys, tempfile, time
from pathlib import Path

draw = random.Random(5)


def times(count, scale=1.0):
    return [scale * (0.1 + 0.001 * draw.gauss(0, 1)) for _ in range(count)]


def hyperfine(results, samples, name="command {}"):
    return {"results": [{"command": name.format(at), "times": times(samples)} for at in range(results)]}


def google(count):
    return {"context": {"num_cpus": 2}, "benchmarks": [
        {"name": f"BM_{at}", "run_name": f"BM_{at}", "run_type": "iteration", "real_time": 1e6 * value,
         "cpu_time": 1e6 * value, "time_unit": "ns"} for at in range(count) for value in times(5)]}


def pytest(count):
    return {"machine_info": {"node": "a"}, "benchmarks": [
        {"name": f"test_{at}", "fullname": f"test.py::test_{at}", "stats": {"data": times(5), "median": 0.1}}
        for at in range(count)]}


def pyperf(count):
    return {"metadata": {"unit": "second"}, "benchmarks": [
        {"metadata": {"name": f"bench_{at}"}, "runs": [{"values": times(5)}]} for at in range(count)]}


def jmh(count):
    return [{"benchmark": f"org.Bench.b{at}", "primaryMetric": {
        "score": 1.0, "scoreUnit": "ms/op", "rawData": [times(5)]}} for at in range(count)]


def go(count):
    return "".join(f"BenchmarkB{at}-8 1000 {1e6 * value:.1f} ns/op 16 B/op\n"
                   for at in range(count) for value in times(5))


def go_units(count):
    return "".join(f"BenchmarkB{at}-8 1000 {1e6 * value:.1f} ns/op 3 u{at}/op\n"
                   for at in range(count) for value in times(5))


def criterion(count):
    return "".join(f"bench_{at}  time: [2.5 ms {1e2 * value:.4f} ms 2.6 ms]\n"
                   for at in range(count) for value in times(5))


def wide(columns):
    head = "commit," + ",".join(f"series{at}" for at in range(columns))
    rows = [f"c{row}," + ",".join(f"{value:.5f}" for value in times(columns)) for row in range(20)]
    return "\n".join([head, *rows]) + "\n"


def tall(rows):
    return "commit,time\n" + "".join(f"c{at},{value:.5f}\n" for at, value in enumerate(times(rows)))


def one_label(rows):
    return "commit,time\n" + "".join(f"c{at % 20},{value:.5f}\n" for at, value in enumerate(times(rows)))


def long(series):
    return "commit,benchmark,value,better\n" + "".join(
        f"c{row},series{at},{value:.5f},lower\n" for at in range(series) for row, value in enumerate(times(10)))


def json_series(series):
    return {"series": {f"series{at}": {"values": times(10)} for at in range(series)}}


def json_values(values):
    return {"values": times(values)}


def json_samples(values):
    return {"samples": [times(10) for _ in range(values)]}


COMPARE, CHANGES, FOLDER = "compare", "changes --from", "changes --from (files)"
# What it is called, how it is read, the smallest size, what makes a file of a size.
CASES = [
    ("hyperfine, results", COMPARE, 5_000, lambda n: hyperfine(n, 10)),
    ("hyperfine, results of one name", COMPARE, 5_000, lambda n: hyperfine(n, 10, "command")),
    ("hyperfine, times of one result", COMPARE, 25_000, lambda n: hyperfine(1, n)),
    ("Google Benchmark, benchmarks", COMPARE, 5_000, google),
    ("pytest-benchmark, tests", COMPARE, 5_000, pytest),
    ("pyperf, benchmarks", COMPARE, 5_000, pyperf),
    ("JMH, benchmarks", COMPARE, 5_000, jmh),
    ("go test, benchmarks", COMPARE, 5_000, go),
    ("go test, units", COMPARE, 500, go_units),
    ("criterion, benchmarks", COMPARE, 5_000, criterion),
    ("CSV, columns", CHANGES, 5_000, wide),
    ("CSV, rows", CHANGES, 5_000, tall),
    ("CSV, rows of 20 points", CHANGES, 25_000, one_label),
    ("CSV, series below one another", CHANGES, 5_000, long),
    ("JSON, series", CHANGES, 5_000, json_series),
    ("JSON, values of one series", CHANGES, 5_000, json_values),
    ("JSON, samples of one series", CHANGES, 2_500, json_samples),
    ("hyperfine, files", FOLDER, 500, lambda n: hyperfine(20, 10)),
]


def write(folder, name, content):
    text = content if isinstance(content, str) else json.dumps(content)
    path = folder / (name + (".txt" if isinstance(content, str) else ".json"))
    path.write_text(text)
    return path


def command_of(tacho, kind, size, make, folder):
    if kind == COMPARE:
        return [tacho, "compare", *(f"file:{write(folder, side, make(size))}" for side in "ab")]
    if kind == FOLDER:
        for at in range(size):
            write(folder, f"run-{at}", make(size))
        return [tacho, "changes", "--from", str(folder)]
    return [tacho, "changes", "--from", str(write(folder, "a", make(size)))]


def execute(command, folder, longest):
    """Seconds, MiB at most, exit status and the last line of what it wrote to stderr."""
    begin = time.perf_counter()
    with open(folder / ".stdout", "wb") as out, open(folder / ".stderr", "wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=folder)
        while process.poll() is None and time.perf_counter() - begin < longest:
            peak = memory(process.pid)
            if peak: last = peak
            time.sleep(0.02)
        if process.poll() is None:
            process.kill()
            process.wait()
            return longest, last, "stopped", ""
    text = (folder / ".stderr").read_text(errors="replace").strip().splitlines()
    return time.perf_counter() - begin, last, process.returncode, text[0] if text else ""


def memory(process):
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), None)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("tacho")
    options.add_argument("--only", default="")
    options.add_argument("--doublings", type=int, default=3)
    options.add_argument("--longest", type=float, default=60)
    typed = options.parse_args()
    tacho = os.path.abspath(typed.tacho)
    print("| what | size | file [MiB] | seconds | growth | memory [MiB] | ends with |")
    print("|:---|---:|---:|---:|---:|---:|:---|", flush=True)
    for name, kind, smallest, make in CASES:
        if typed.only not in name:
            continue
        before = None
        for doubling in range(typed.doublings):
            size = smallest << doubling
            folder = Path(tempfile.mkdtemp(prefix="tacho-large-"))
            command = command_of(tacho, kind, size, make, folder)
            length = sum(path.stat().st_size for path in folder.iterdir()) / 2**20
            seconds, peak, status, said = execute(command, folder, typed.longest)
            shutil.rmtree(folder)
            growth = f"{seconds / before:.1f}" if before else ""
            said = f"{status} {said[:60]}" if status not in (0, 1) else str(status)
            print(f"| {name} | {size:,} | {length:.1f} | {seconds:.2f} | {growth} | {peak:.0f} | {said} |", flush=True)
            before = seconds
            if status == "stopped":
                break


main()
