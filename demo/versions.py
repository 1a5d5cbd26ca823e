#!/usr/bin/env python3
"""Work for one release of the `packaging` library: `versions.py BUILD JOB`.

BUILD is the directory that holds the release's `packaging` folder. JOB is one of

  specifiers  read 14,000 version constraints such as ">=1.1,<4.1,!=2.1.*"
  sort        read 2,500 version numbers, then sort the same shuffled list 90 times

All input is computed, none is random. The one line printed is the answer, and is
the same for every release: a release that answers otherwise is not comparable.
"""

import pathlib
import sys

SUFFIXES = ("", "", "", "rc1", ".post2", "b3", ".dev4", "")


def constraint_texts(count):
    """The texts of `count` constraints, three clauses each."""
    return [
        f">={i % 5}.{i % 9},<{i % 5 + 3}.{i % 4},!={i % 5 + 1}.{i % 7}.*"
        for i in range(count)
    ]


def version_texts(count):
    """`count` different versions out of order; `count` must not be a multiple of 7919."""
    order = (i * 7919 % count for i in range(count))
    return [f"{i // 400}.{i // 20 % 20}.{i % 20}{SUFFIXES[i % 8]}" for i in order]


def read_specifiers():
    """Read constraints; the answer is how many clauses they have."""
    from packaging.specifiers import SpecifierSet

    return sum(len(SpecifierSet(text)) for text in constraint_texts(14_000))


def sort_versions():
    """Sort versions again and again; the answer is the first, the middle and the last."""
    from packaging.version import Version

    versions = [Version(text) for text in version_texts(2_500)]
    for _ in range(90):
        ordered = sorted(versions)
    return " ".join(str(ordered[at]) for at in (0, len(ordered) // 2, -1))


JOBS = {"sort": sort_versions, "specifiers": read_specifiers}


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in JOBS:
        sys.exit("usage: versions.py BUILD " + "|".join(JOBS))
    build = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(build))
    import packaging

    # Python may find another copy, on most machines the system's own: not the one asked for.
    if build not in pathlib.Path(packaging.__file__).resolve().parents:
        sys.exit(f"no `packaging` in `{build}`")
    print(sys.argv[2], JOBS[sys.argv[2]]())


main()
