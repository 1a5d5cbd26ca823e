"""Bisects with git_bayesect what `benches/bisect.rs` simulates: prints questions, reads answers.

`bisect N` starts one of N candidates, the first of them good. Then `test I` is answered by `fail J` or `pass J`, J being I or, where that does
not build, another near it, until `named I` or, after as many tests as the second argument allows, `none`.
"""

import sys

from git_bayesect import Bisector

for line in sys.stdin:
    candidates, most = map(int, line.split()[1:])
    # It counts from the newest, and the good end cannot be the cause.
    bisector = Bisector([1.0] * (candidates - 1) + [1e-9])
    for _ in range(most):
        if bisector.distribution.max() >= 0.95:
            print("named", candidates - 1 - int(bisector.distribution.argmax()), flush=True)
            break
        index = bisector.select()
        print("test", candidates - 1 - index, flush=True)
        answer, tested = sys.stdin.readline().split()
        bisector.record(candidates - 1 - int(tested), answer == "fail")
    else:
        print("none", flush=True)
