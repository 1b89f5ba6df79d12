"""The line protocol of tree.hpp for drivers in Python. Import it first: what libraries print goes to the standard error from then on."""

import json
import os
import sys
import time

OUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


class Variant:
    """`answer(state)` gives accelerations, `work(k)` the timed loop over the first state: it may return its own seconds."""

    def __init__(self, answer, work, batch=None):
        self.answer, self.work, self.batch = answer, work, batch


def timed(work, k):
    begin = time.perf_counter()
    own = work(k)
    return own if own is not None else time.perf_counter() - begin


def serve(load, extra=None):
    """`load(tree)` answers a dictionary of variants; `extra(command, words)` other commands' answers."""
    variants = {}
    for line in sys.stdin:
        command, *words = line.split()
        try:
            if command == "load":
                with open(words[0]) as file:
                    tree = json.load(file)
                variants = {}
                variants = load(tree)
                reply = f"ok {len(tree['links']) if 'links' in tree else 0}"
            elif command == "variants":
                reply = " ".join(variants)
            elif command == "answer":
                reply = " ".join(repr(float(x)) for x in variants[words[0]].answer(int(words[1])))
            elif command == "repeat":
                reply = repr(timed(variants[words[0]].work, int(words[1])))
            elif command == "batch":
                batch = variants[words[0]].batch
                if batch is None:
                    raise RuntimeError("no batch")
                reply = repr(timed(batch, int(words[1])))
            elif extra:
                reply = extra(command, words)
            else:
                raise RuntimeError(f"unknown command {command}")
        except Exception as fault:  # told to the orchestrator, which leaves the participant out
            reply = "error " + f"{type(fault).__name__}: {fault}".replace("\n", " ")[:300]
        print(reply, file=OUT, flush=True)
