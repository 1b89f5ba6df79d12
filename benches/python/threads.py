"""Two threads that simulate against one: Python's lock is free while the engine works.

    pip install . && python benches/python/threads.py

The time of two threads with a run each, by that of one thread with one run; the best of some rounds, on a machine with two idle cores at least.
"""

import threading
import time

import linkwork as lw

ROUNDS = 8


def main() -> None:
    mechanism = lw.examples["four-bar"].assemble(duration=200, output_step=1.0)

    def run() -> None:
        mechanism.simulate(record=False)

    def of(count: int) -> float:
        threads = [threading.Thread(target=run) for _ in range(count)]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - began

    best: dict[int, float] = {}
    for _ in range(ROUNDS):
        for count in (1, 2):
            best[count] = min(best.get(count, float("inf")), of(count))
    print(f"one thread {best[1]:.3f} s, two threads {best[2]:.3f} s: {best[2] / best[1]:.2f} times")


if __name__ == "__main__":
    main()
