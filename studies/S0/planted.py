#!/usr/bin/env python3
"""Plants 400 damages of five kinds in a copy of real packages, and compares them with what pkgverify finds.

Usage: planted.py PKGVERIFY [PACKAGE...]. Exit status: 0 all found and nothing else, 1 not so.
The damages are the same each time. Nothing outside of the copy is touched.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

PACKAGES = ["vim-runtime", "coreutils", "perl-base", "python3.11-minimal", "git", "tzdata", "adwaita-icon-theme"]
WAYS = [[], ["--batch", "7"], ["--batch", "1024"], ["--batch", "8192"], ["--way", "one-process"]]
DATABASE = "/var/lib/dpkg"
COUNT = 400


def copy(root, names):
    """Copies packages with their part of the database."""
    os.makedirs(root + DATABASE + "/info")
    for name in ["bin", "sbin", "lib", "lib64"]:
        if os.path.islink("/" + name):
            target = os.readlink("/" + name).lstrip("/")
            os.makedirs(f"{root}/{target}", exist_ok=True)
            os.symlink(target, f"{root}/{name}")
    with open(DATABASE + "/status") as file:
        stanzas = file.read().split("\n\n")
    chosen = [stanza for name in names for stanza in stanzas if stanza.startswith(f"Package: {name}\n")]
    if len(chosen) != len(names):
        sys.exit("error: not all of these packages are installed: " + " ".join(names))
    with open(root + DATABASE + "/status", "w") as file:
        file.write("\n\n".join(chosen) + "\n\n")
    shutil.copy(DATABASE + "/diversions", root + DATABASE)
    for name in names:
        for kind in ["list", "md5sums"]:
            shutil.copy(f"{DATABASE}/info/{name}.{kind}", root + DATABASE + "/info")
        pack = ["tar", "-C", "/", "--no-recursion", "-cf", "-", "-T", f"{DATABASE}/info/{name}.list"]
        packed = subprocess.run(pack, capture_output=True).stdout
        subprocess.run(["tar", "--keep-directory-symlink", "-C", root, "-xf", "-"], input=packed, check=True)


def findings(program, root, way):
    """Each path that is not as recorded, with its reason."""
    answer = subprocess.run([program, "--root", root, "--json", *way], capture_output=True, text=True)
    if answer.returncode not in (0, 1):
        sys.exit(answer.stderr)
    report = json.loads(answer.stdout)
    return report["paths"], {finding["path"]: finding["reason"] for finding in report["findings"]}


def candidates(root, names):
    """Files with a sum and content, of which there is one copy."""
    for name in names:
        with open(f"{root}{DATABASE}/info/{name}.md5sums") as sums:
            for line in sums:
                path = "/" + line.rstrip("\n").split("  ", 1)[1]
                place = root + path
                is_plain = os.path.isfile(place) and not os.path.islink(place)
                if is_plain and os.path.getsize(place) > 0 and os.stat(place).st_nlink == 1:
                    yield path


def damage(place, kind):
    """Damages one file. Returns the reason that is to be found."""
    if kind == 0:
        with open(place, "r+b") as file:
            content = bytearray(file.read())
            content[random.randrange(len(content))] ^= 1 << random.randrange(8)
            file.seek(0)
            file.write(content)
        return "mismatch"
    if kind == 1:
        with open(place, "ab") as file:
            file.write(b"x")
        return "mismatch"
    os.remove(place)
    if kind == 2:
        return "missing"
    if kind == 3:
        os.symlink("/no/where", place)
        return "dead-link"
    os.mkdir(place)
    return "not-regular"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, names = sys.argv[1], sys.argv[2:] or PACKAGES
    random.seed(7)
    with tempfile.TemporaryDirectory() as root:
        copy(root, names)
        paths, before = findings(program, root, [])
        print(f"{paths} paths of {len(names)} packages, {len(before)} findings before")
        chosen = [path for path in candidates(root, names) if path not in before]
        chosen = random.sample(chosen, min(COUNT, len(chosen)))
        planted = {}
        for number, path in enumerate(chosen):
            place = root + path
            assert os.path.realpath(place).startswith(os.path.realpath(root) + "/")
            planted[path] = damage(place, number % 5)
        is_right = True
        for way in WAYS:
            _, after = findings(program, root, way)
            found = {path: reason for path, reason in after.items() if path not in before}
            right = sum(found.get(path) == reason for path, reason in planted.items())
            others = len(found.keys() - planted.keys())
            is_right &= right == len(planted) and others == 0
            print(f"{' '.join(way) or 'default'}: {right} of {len(planted)} found, {others} others")
    sys.exit(not is_right)


main()
