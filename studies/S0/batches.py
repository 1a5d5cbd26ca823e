#!/usr/bin/env python3
"""What the batches of a package hold, in the order of its database: why the curve rises at some
batch size. Usage: batches.py PACKAGE [SIZE]"""

import os
import sys

INFO = "/var/lib/dpkg/info"


def main(package: str, size: int) -> None:
    with open(f"{INFO}/{package}.md5sums", encoding="utf-8") as lines:
        paths = ["/" + line.rstrip("\n").split("  ", 1)[1] for line in lines]
    sizes = [os.path.getsize(path) if os.path.isfile(path) else 0 for path in paths]
    total = sum(sizes)
    print(f"{package}: {len(paths)} files, {total / 2**20:.1f} MiB; batches of {size} hold")
    for first in range(0, len(sizes), size):
        batch = sizes[first : first + size]
        print(f"  {len(batch):5} files, {100 * sum(batch) / total:4.1f} % of the bytes")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 512)
