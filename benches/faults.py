#!/usr/bin/env python3
"""What remains of the store when a command is killed, the disk is full, or the power fails.

    benches/faults.py [--places 200] [--commands track,compare] [--faults kill,cut] [--jobs 2]

Each place is one call of `tacho` to the file system, below the store or the cache. There the fault
is injected (by `benches/faults.c`, put before the C library), and the same command is executed once
more without it. The answer, the samples and the runs must then be those of an undisturbed project.
The subject prints its numbers itself, so that the speed of the machine decides nothing.
"""
import argparse, collections, concurrent.futures, itertools, json, os, re, shutil, subprocess, sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLAN = """[subject]
artifacts = ["prog"]

[measure]
rounds = 3
link = 0
warmup = false

[[benchmark]]
name = "work"
command = "sh {build}/prog"
metrics = [{ name = "work", from = "regex:work ([0-9.]+)" }]
output = "keep"
"""
COMMITS, CULPRIT = 6, 3
OLD = f"HEAD~{COMMITS - 1}"

# What is there already, and the command that the faults are for.
Case = collections.namedtuple("Case", "before command")
CASES = {
    "track": Case([], "track --seed 1"),
    "compare": Case([f"track {OLD} --seed 1"],
                    f"compare {OLD} HEAD --rounds 4 --all-rounds --seed 1 --json"),
    "confirm": Case(["track --seed 1", "changes"], "changes --confirm --rounds 5 --seed 1 --json"),
    "bisect": Case([f"track {OLD} --seed 1"], f"bisect {OLD} HEAD -m work --seed 1 --json"),
    "try": Case([f"track {OLD} --seed 1"], "try ../faster.patch --rounds 4 --seed 1 --json"),
    "site": Case(["track --seed 1", "changes", f"bisect {OLD} HEAD -m work --seed 1"],
                 "site pages"),
    "copy": Case(["track --seed 1", "changes"], "fsck --copy-whole whole"),
}
# What the number of each fault counts.
FAULTS = {"kill": "calls", "cut": "calls", "full": "space", "write": "writes", "sync": "syncs"}
MEANING = {"kill": "killed", "cut": "power cut", "full": "disk full from there on",
           "write": "a write fails", "sync": "a sync fails"}
# Keys whose values are times, or names of times, in the answers and in the list of runs.
TIMES = {"started", "ended", "took", "updated", "executing", "building", "more_seconds", "name",
         "conditions", "changed", "waits", "disturbed", "loads", "otherwise", "run", "version",
         "seconds", "carry_over"}
# What a bisection takes depends on what builds and executions cost; what it finds does not.
COSTS = {"belief", "ladder", "samples", "neighbours", "pairs", "interval", "builds", "cells",
         "rounds", "revisions", "updated", "nothing", "what", "posterior", "error", "left_over",
         "steps"}
# How long a command may take, in seconds.
PATIENCE = 120


def git(folder, *words, date=1):
    moment = f"{1_700_000_000 + 3600 * date} +0000"
    environment = os.environ | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_COMMITTER_DATE": moment,
                                "GIT_AUTHOR_DATE": moment}
    words = ["git", "-c", "user.email=bench@localhost", "-c", "user.name=bench", *words]
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True,
                          env=environment).stdout


def timeless(value, varies=frozenset(TIMES)):
    """A JSON value without what differs between two undisturbed runs."""
    if isinstance(value, list):
        return [timeless(one, varies) for one in value]
    if not isinstance(value, dict):
        return value
    if "standing" in value or value.get("purpose") == "bisect":
        varies = varies | COSTS
    own = {"found"} if isinstance(value.get("found"), str) else set()
    if "not_reproduced" in value:
        own = {"samples"}  # Those of this session. The list of runs has all.
    return {key: timeless(one, varies) for key, one in value.items() if key not in varies | own}


class Project:
    """A repository, a plan, a store and a cache, in memory and always at the same place."""

    def __init__(self, place, tacho, shim):
        self.place, self.tacho, self.shim = place, tacho, shim
        self.folder, self.kept = os.path.join(place, "project"), os.path.join(place, "kept")
        self.executed, self.report = os.path.join(place, "executed"), os.path.join(place, "report")

    def create(self, before):
        shutil.rmtree(self.place, ignore_errors=True)
        os.makedirs(self.folder)
        git(self.folder, "init", "--quiet", "--initial-branch=main")
        for commit in range(COMMITS):
            work = 20 if commit >= CULPRIT else 10
            lines = f"# commit {commit}\necho work {work}\necho >> {self.executed}\n"
            self.write("prog", lines)
            git(self.folder, "add", "prog")
            git(self.folder, "commit", "--quiet", "-m", f"commit {commit}", date=commit)
        self.write("prog", lines.replace("work 20", "work 5"))
        self.write("../faster.patch", git(self.folder, "diff"))
        git(self.folder, "checkout", "--quiet", "--", "prog")
        self.write("tacho.toml", PLAN)
        for command in before:
            done = self.call(command)
            if done.returncode not in (0, 1):
                sys.exit(f"error: `tacho {command}` failed:\n{done.stderr}")
        open(self.executed, "w").close()
        shutil.copytree(self.folder, self.kept, symlinks=True)

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(content)

    def restore(self):
        subprocess.run(["rm", "-rf", self.folder, self.report], check=True)
        subprocess.run(["cp", "-a", self.kept, self.folder], check=True)
        open(self.executed, "w").close()

    def call(self, command, fault=None):
        """Executes `tacho`, with a fault or none."""
        store = [os.path.join(self.folder, name) for name in (".tacho", ".cache", "whole", "pages")]
        environment = os.environ | {"TACHO_CACHE": store[1], "GIT_CONFIG_GLOBAL": "/dev/null",
                                    "TACHO_LOCK": os.path.join(self.place, "lock"),
                                    "RUST_BACKTRACE": "0"}
        if fault:
            environment |= {"LD_PRELOAD": self.shim, "FAULT": fault, "FAULT_REPORT": self.report,
                            "FAULT_FOLDERS": ":".join(store)}
        # Files, not pipes: nothing waits for what a killed command leaves behind.
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            words = [self.tacho, "--quiet", *command.split()]
            try:
                status = subprocess.run(words, cwd=self.folder, env=environment, stdout=out,
                                        stderr=err, timeout=PATIENCE).returncode
            except subprocess.TimeoutExpired:
                status = "no end"
            out.seek(0), err.seek(0)
            return subprocess.CompletedProcess(words, status, out.read(), err.read())

    def counts(self):
        """The fault that came, and how many calls there were."""
        text = open(self.report).read() if os.path.exists(self.report) else ""
        came = re.search(r"^fault (.*)$", text, re.M)
        counts = re.search(r"^calls (\d+) space (\d+) writes (\d+) syncs (\d+)$", text, re.M)
        numbers = dict(zip(["calls", "space", "writes", "syncs"], map(int, counts.groups()))) \
            if counts else {}
        return came and came[1].replace(self.folder, ""), numbers

    def times_executed(self):
        return len(open(self.executed).read())

    def answer(self, done):
        """What a command answers, without times."""
        try:
            said = timeless(json.loads(done.stdout))
        except json.JSONDecodeError:
            about_samples = r"\d samples? in |nothing was missing"
            said = [" ".join(line.split()) for line in done.stdout.splitlines()
                    if not re.search(about_samples, line)]
        pages = os.path.join(self.folder, "pages")
        paths = [os.path.join(at, name) for at, _, names in os.walk(pages) for name in names]
        files = {os.path.relpath(path, pages): read(path) for path in paths}
        return done.returncode, said, files

    def is_damaged(self, store=".tacho"):
        """What `fsck` finds; nothing where there is no store yet."""
        ignore = os.path.join(self.folder, store, ".gitignore")
        if os.path.exists(os.path.join(self.folder, store, "tacho.db")):
            if not os.path.exists(ignore) or open(ignore).read().strip() != "*":
                return "the store is not ignored by git"
        checked = self.call(f"--store {store} fsck")
        is_whole = checked.returncode == 0 or "nothing is measured yet" in checked.stderr
        return "" if is_whole else checked.stdout + checked.stderr

    def stored(self, store=".tacho"):
        """Damage, the runs, and all values of all series."""
        if not os.path.exists(os.path.join(self.folder, store, "tacho.db")):
            return "", [], [], 0
        runs, series = (self.call(f"--store {store} {what} --json") for what in ("log", "show"))
        runs = json.loads(runs.stdout)["runs"] if runs.returncode == 0 else [runs.stderr]
        series = json.loads(series.stdout) if series.returncode == 0 else series.stderr
        samples = sum(run["samples"] for run in runs if isinstance(run, dict))
        return self.is_damaged(store), timeless(runs), series, samples


def read(path):
    """A page without the time at which it was made."""
    with open(path, "rb") as file:
        return re.sub(rb"Pages made <time>.*?</time>", b"", file.read())


def is_clear(done):
    """One error, in words."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    return done.returncode in (1, 2) and len(lines) == 1 and "panicked" not in done.stderr


class Walk:
    """One command, with a fault at each of some places."""

    def __init__(self, name, project):
        self.name, self.case, self.project = name, CASES[name], project
        project.create(self.case.before)
        self.expected = self.undisturbed()
        other = self.undisturbed()
        if other != self.expected:
            differs = shortly(other, self.expected)
            sys.exit(f"error: two undisturbed runs of `{name}` differ: {differs}")

    def undisturbed(self):
        self.project.restore()
        done = self.project.call(self.case.command, "count:0")
        if done.returncode not in (0, 1):
            sys.exit(f"error: `tacho {self.case.command}` failed:\n{done.stderr}")
        self.counts = self.project.counts()[1]
        state = self.state(done)
        self.round = max([1, *(run.get("cells", COMMITS) for run in state[1][1])])
        taken = self.project.times_executed()
        if self.name in ("track", "compare", "confirm", "bisect", "try") and not taken:
            sys.exit(f"error: `tacho {self.case.command}` measures nothing")
        self.before = self.samples - taken
        return state

    def state(self, done):
        *stored, self.samples = self.project.stored()
        return self.project.answer(done), stored, self.project.stored("whole")

    def at(self, fault, place):
        """What came of one fault: a word, how many samples were lost, and what is wrong."""
        self.project.restore()
        done = self.project.call(self.case.command, f"{fault}:{place}")
        came = self.project.counts()[0]
        if not came:
            return "not reached", 0, None, None
        wrong = self.is_wrong(done)
        word = "killed" if done.returncode == -9 else "error" if is_clear(done) else "same"
        is_last = self.name != "copy"  # What a copy prints comes before the copy.
        if word == "killed" and is_last and self.project.answer(done)[1:] == self.expected[0][1:]:
            word = "same"  # It was killed with the answer out.
            done.returncode = self.expected[0][0]
        # Pages are not synced: the same command makes them again.
        if word != "same" or (self.name, fault) == ("site", "cut"):
            done = self.project.call(self.case.command)
        state = self.state(done)
        # A copy that was whole already is refused in words, and not made again.
        if "there is a `whole/tacho.db` already" in done.stderr:
            state = self.expected[0], *state[1:]
        lost = self.project.times_executed() - (self.samples - self.before)
        wrong = wrong or self.difference(state, done)
        if wrong and word == "killed" and self.is_measured_again(state):
            word, wrong = "again", None
        if lost < 0 or lost > (self.round if fault == "cut" else 1):
            wrong = wrong or f"{lost} samples lost"
        return word, lost, wrong, came

    def is_wrong(self, done):
        """What is wrong just after the fault."""
        if "panicked" in done.stderr or done.returncode not in (-9, 0, 1, 2):
            return f"status {done.returncode}: {done.stderr[-300:]}"
        damage = self.project.is_damaged()
        return f"damaged after the fault: {damage}" if damage else None

    def is_measured_again(self, state):
        """Whether the run was finished without an answer, and there is an equal one beside it."""
        (answer, (damage, runs, series), copied) = state
        (_, (_, own, its_series), _) = self.expected
        is_comparison = own[0].get("purpose") == "compare"
        return is_comparison and (answer, damage, runs, series) == (
            self.expected[0], "", own[:1] + own, its_series)

    def difference(self, state, done):
        for what, is_, should in [("the status", state[0][0], self.expected[0][0]),
                                  ("the answer", state[0][1], self.expected[0][1]),
                                  ("the pages", state[0][2], self.expected[0][2]),
                                  ("the damage", state[1][0], self.expected[1][0]),
                                  ("the runs", state[1][1], self.expected[1][1]),
                                  ("the series", state[1][2], self.expected[1][2]),
                                  ("the copy", state[2], self.expected[2])]:
            if is_ != should:
                return f"{what} differs: {shortly(is_, should)} {done.stderr[-300:]}"
        return None


def shortly(is_, should):
    """The first difference."""
    if isinstance(is_, dict) and isinstance(should, dict):
        for key in [*should, *is_]:
            if is_.get(key) != should.get(key):
                return f"{key}: {shortly(is_.get(key), should.get(key))}"
    if isinstance(is_, (list, tuple)) and isinstance(should, (list, tuple)):
        for one, other in itertools.zip_longest(is_, should):
            if one != other:
                return shortly(one, other)
    return f"{str(is_)[:200]!r} for {str(should)[:200]!r}"


def spread(count, places):
    """That many places from 1 to `count`, evenly spread."""
    places = max(places, 2)
    if count <= places:
        return list(range(1, count + 1))
    return sorted({1 + round(i * (count - 1) / (places - 1)) for i in range(places)})


def walk(name, faults, places, job, jobs, folder, tacho, shim, mixed, keep):
    """One job's share of the places of a command."""
    one = Walk(name, Project(os.path.join(folder, f"{name}-{job}"), tacho, shim))
    rows = []
    for number, fault in enumerate(faults):
        # The power may fail just after the end, too.
        chosen = spread(one.counts[FAULTS[fault]] + (fault == "cut"), places)
        if mixed:
            chosen = chosen[number::len(faults)]
        for place in chosen[job::jobs]:
            rows.append((name, fault, place, *one.at(fault, place)))
            if keep:
                with open(keep, "a") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    shutil.rmtree(one.project.place)
    return rows


COLUMNS = {"killed": "killed, then the same", "again": "killed, then measured again",
           "error": "an error, then the same", "same": "the same at once"}


def table(rows):
    """How often each fault ended in which way; good ends only."""
    lines = [["command", "fault", "places", *COLUMNS.values(), "samples lost", "at most", "wrong"],
             ["---"] * 2 + ["--:"] * (len(COLUMNS) + 4)]
    for name, fault in dict.fromkeys((row[0], row[1]) for row in rows):
        own = [row for row in rows if row[:2] == (name, fault) and row[3] != "not reached"]
        good = collections.Counter(row[3] for row in own if not row[5])
        lost = [row[4] for row in own]
        numbers = [len(own), *(good[word] for word in COLUMNS), sum(lost), max(lost, default=0),
                   len(own) - good.total()]
        lines.append([name, MEANING[fault], *map(str, numbers)])
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--places", type=int, default=200, help="of each command and fault")
    parser.add_argument("--mixed", action="store_true", help="share the places among the faults")
    parser.add_argument("--commands", default=",".join(CASES))
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--at", type=int, help="only this place")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="append what came of each place to this file")
    wanted = parser.parse_args()
    tacho = os.environ.get("TACHO", os.path.join(ROOT, "target/debug/tacho"))
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="faults-", dir=memory) as folder:
        shim = os.path.join(folder, "faults.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", shim,
                        os.path.join(ROOT, "benches/faults.c"), "-ldl"], check=True)
        faults = wanted.faults.split(",")
        if wanted.at:
            name = wanted.commands
            one = Walk(name, Project(os.path.join(folder, name), tacho, shim))
            return print(one.counts, one.at(wanted.faults, wanted.at))
        with concurrent.futures.ProcessPoolExecutor(wanted.jobs) as pool:
            shares = 1 if wanted.mixed else wanted.jobs
            jobs = [pool.submit(walk, name, faults, wanted.places, job, shares, folder, tacho, shim,
                                wanted.mixed, wanted.keep)
                    for name in wanted.commands.split(",") for job in range(shares)]
            rows = []
            for job in jobs:
                rows += job.result()
    print(table(rows), end="")
    wrong = [row for row in rows if row[5]]
    for row in wrong:
        print(f"\n{row[0]}, {MEANING[row[1]]}, place {row[2]} ({row[6]}): {row[5]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
