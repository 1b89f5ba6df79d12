"""Participants: long-lived programs that answer one line for each line; and rounds that go through all of them in turn."""

import os
import subprocess

# one core each: no library may start threads of its own
ONE_THREAD = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")


class Left(Exception):
    """A participant cannot do what it was asked for; it is left out, with the reason."""


class Participant:
    def __init__(self, name, command):
        self.name, self.command, self.process = name, [str(c) for c in command], None

    def ask(self, line):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ONE_THREAD
            )
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            reply = self.process.stdout.readline()
        except BrokenPipeError:
            reply = ""
        if not reply:
            code = self.process.wait()
            self.process = None
            raise Left(f"ended with code {code}")
        reply = reply.strip()
        if reply.startswith("error"):
            raise Left(reply[6:])
        return reply

    def load(self, file):
        return int(self.ask(f"load {file}").split()[1])

    def variants(self):
        return self.ask("variants").split()

    def answer(self, variant, state=0):
        return [float(x) for x in self.ask(f"answer {variant} {state}").split()]

    def seconds(self, what, variant, k):
        return float(self.ask(f"{what} {variant} {k}"))

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


class Clock:
    """Times of one variant: how many repetitions fill a slice of time, and seconds per repetition, round by round."""

    def __init__(self, participant, variant, what="repeat"):
        self.participant, self.variant, self.what, self.k, self.rounds = participant, variant, what, 1, []

    def calibrate(self, slice_seconds):
        while True:
            t = self.participant.seconds(self.what, self.variant, self.k)
            if t >= slice_seconds or self.k > 10_000_000:
                return
            self.k = max(self.k + 1, int(1.2 * self.k * slice_seconds / max(t, slice_seconds / 20)))

    def round(self):
        self.rounds.append(self.participant.seconds(self.what, self.variant, self.k) / self.k)

    @property
    def best(self):
        return min(self.rounds)


def interleaved(clocks, slice_seconds, rounds):
    """All in turn, `rounds` times. After the second, a variant more than twice as slow as the best of its participant stays out; after the
    third, one that had its share of time already, a second."""
    for clock in clocks:
        clock.calibrate(slice_seconds)
    racing = list(clocks)
    for i in range(rounds):
        for clock in racing:
            clock.round()
        if i == 1:
            best = {}
            for c in racing:
                best[c.participant.name] = min(c.best, best.get(c.participant.name, c.best))
            racing = [c for c in racing if c.best <= 2.0 * best[c.participant.name]]
        if i > 1:
            racing = [c for c in racing if sum(c.rounds) * c.k < 1.0]
