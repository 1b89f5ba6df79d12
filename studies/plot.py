"""A plot with two axes as an SVG file: lines, marks, words."""

import html
import math


def ticks(low, high, about=6):
    """Round numbers from low to high."""
    rough = (high - low) / about
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * k for k in (1, 2, 5, 10) if size * k >= rough)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


class Plot:
    """Coordinates are those of the axes; y points up."""

    def __init__(self, x, y, labels, title, width=760, height=440):
        self.x, self.y, self.width, self.height = x, y, width, height
        self.left, self.right, self.top, self.bottom = 64, 18, 40, 52
        self.parts, self.legend = [], []
        self.text(width / 2, 22, title, size=15, anchor="middle")
        for value in ticks(*x):
            at, _ = self.place(value, y[0])
            self.line(at, self.top, at, height - self.bottom)
            self.text(at, height - self.bottom + 18, f"{value:g}", anchor="middle")
        for value in ticks(*y):
            _, at = self.place(x[0], value)
            self.line(self.left, at, width - self.right, at)
            self.text(self.left - 8, at + 4, f"{value:g}", anchor="end")
        self.text((self.left + width - self.right) / 2, height - 14, labels[0], anchor="middle")
        middle = (self.top + height - self.bottom) / 2
        self.text(18, middle, labels[1], anchor="middle", turn=True)
        self.parts.append(
            f'<rect x="{self.left}" y="{self.top}" width="{width - self.left - self.right}" '
            f'height="{height - self.top - self.bottom}" fill="none" stroke="#555"/>'
        )

    def place(self, x, y):
        wide, high = self.width - self.left - self.right, self.height - self.top - self.bottom
        across = self.left + (x - self.x[0]) / (self.x[1] - self.x[0]) * wide
        return across, self.top + (self.y[1] - y) / (self.y[1] - self.y[0]) * high

    def line(self, x1, y1, x2, y2, colour="#ddd"):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>')

    def text(self, x, y, words, size=12, anchor="start", turn=False, colour="#222"):
        turned = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="{size}" '
            f'text-anchor="{anchor}" fill="{colour}"{turned}>{html.escape(words)}</text>'
        )

    def curve(self, points, colour, name=None, width=2, dash=None):
        """A line through points; those that are less than half a pixel from the last one are left out."""
        kept = []
        for at in (self.place(x, y) for x, y in points):
            if not kept or math.dist(at, kept[-1]) > 0.5:
                kept.append(at)
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in kept)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="{width}"{dashed}/>')
        if name:
            self.legend.append(("curve", colour, name, dashed))

    def marks(self, points, colour, name=None, square=False):
        for x, y in points:
            self.mark(*self.place(x, y), colour, square)
        if name:
            self.legend.append(("square" if square else "circle", colour, name, ""))

    def mark(self, x, y, colour, square):
        if square:
            shape = f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"'
        else:
            shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5"'
        self.parts.append(f'{shape} fill="#fff" stroke="{colour}" stroke-width="2"/>')

    def note(self, x, y, words, anchor="start", colour="#222", shift=(0, 0)):
        across, down = self.place(x, y)
        self.text(across + shift[0], down + shift[1], words, anchor=anchor, colour=colour)

    def write(self, file):
        x, y = self.width - self.right - 250, self.top + 22
        for kind, colour, name, dashed in self.legend:
            if kind == "curve":
                self.parts.append(
                    f'<line x1="{x}" y1="{y - 4}" x2="{x + 26}" y2="{y - 4}" stroke="{colour}" stroke-width="2"{dashed}/>'
                )
            else:
                self.mark(x + 13, y - 4, colour, kind == "square")
            self.text(x + 34, y, name)
            y += 19
        body = "\n".join(self.parts)
        size = f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        file.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<rect width="100%" height="100%" fill="#ffffff"/>\n{body}\n</svg>\n'
        )
