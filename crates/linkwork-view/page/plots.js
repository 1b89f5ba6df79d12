// Plots beside the picture: each shows columns of one unit over time. All share the time range and the cursor; hovering or clicking seeks.

/** A number for people: four significant digits, never NaN. */
function tell(x) {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return String(Number(x.toPrecision(4)).toExponential()).replace("e+", "e").replaceAll("-", "−");
  return String(Number(x.toPrecision(4))).replace("-", "−");
}

/** A tick's text, as exact as its step; `largest`: the size of the largest number of the axis, so that all are written alike. */
function tellTick(x, step, largest) {
  if (Math.abs(x) < step * 1e-6) return "0";
  if (largest >= 1e6 || step < 1e-4) return tell(Number(x.toPrecision(6)));
  return x.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace("-", "−");
}

/** Multiples of a step between 1, 2 and 5 times a power of ten, three to six of them within a range, if there is room. */
function ticksWithin(low, high, room) {
  const most = Math.max(2, Math.min(6, Math.floor(room)));
  let step = niceStep((high - low) / most || 1);
  const count = () => Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1;
  for (let finer = 0; finer < 4 && count() < 3 && most >= 3; finer++) step = niceStep(step * 0.4);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && ticks.length < 30; k++) ticks.push(k * step);
  return { ticks, step };
}

/** Whether angles are shown in degrees; remembered where a page may keep anything. */
const angles = {
  key: "linkwork-degrees",
  degrees: false,
  read() {
    try {
      this.degrees = localStorage.getItem(this.key) === "yes";
    } catch {
      // a page from a file may not be allowed to
    }
  },
  keep() {
    try {
      localStorage.setItem(this.key, this.degrees ? "yes" : "no");
    } catch {
      // see above
    }
  },
  /** The unit that is shown in place of another, and how many of it are one of the other. */
  shown(unit) {
    const angle = unit === "rad" || unit.startsWith("rad/");
    return this.degrees && angle ? [unit.replace("rad", "deg"), 180 / Math.PI] : [unit, 1];
  },
};

/** The plots and what they share. `host`: `table`, `look`, `css`, `playing()`, `pickColumns(plot)`, `time()`, `seek(t)`, `span()`, `changed()`. */
class Plots {
  constructor(element, host) {
    this.element = element;
    this.host = host;
    this.plots = [];
    /** The part of the time that is shown; nothing: all of it. */
    this.range = null;
    this.observer = new ResizeObserver(() => this.draw());
  }

  clear() {
    this.range = null;
    for (const plot of this.plots) this.observer.unobserve(plot.canvas);
    this.plots = [];
    this.element.replaceChildren();
  }

  /** The columns of all plots. */
  columns() {
    return [...new Set(this.plots.flatMap((plot) => plot.columns))];
  }

  add(title, columns) {
    const plot = new Plot(this, title, columns);
    this.plots.push(plot);
    this.element.append(plot.element);
    this.observer.observe(plot.canvas);
    return plot;
  }

  remove(plot) {
    this.observer.unobserve(plot.canvas);
    this.plots = this.plots.filter((other) => other !== plot);
    plot.element.remove();
    this.host.changed();
  }

  /** Shows or hides a column: in the plot `into` where the unit fits, else in the first where it fits, else in a new one. */
  toggle(name, into = null) {
    const holder = this.plots.find((plot) => plot.columns.includes(name));
    if (holder) {
      holder.columns = holder.columns.filter((other) => other !== name);
      if (holder.columns.length === 0) return this.remove(holder);
      holder.legend();
    } else {
      const unit = this.host.table.unit(name);
      const fits = (plot) => plot && plot.columns.length < 10 && this.host.table.unit(plot.columns[0]) === unit;
      const plot = fits(into) ? into : this.plots.find(fits);
      if (plot) {
        plot.columns.push(name);
        plot.legend();
      } else {
        this.add(titleOf(name), [name]);
      }
    }
    this.host.changed();
    this.draw();
  }

  shownRange() {
    return this.range || this.host.span();
  }

  draw() {
    for (const plot of this.plots) plot.draw();
  }

  /** Shows angles in degrees, or in radians. */
  setDegrees(on) {
    angles.degrees = on;
    angles.keep();
    for (const plot of this.plots) plot.legend();
    this.draw();
  }

  /** Only values and cursors: cheap enough for every picture. */
  cursor() {
    for (const plot of this.plots) plot.cursor();
  }
}

/** Whether the n-th line of a plot is dashed, so that it is told from others without its colour. */
function dashed(n) {
  return n >= 5;
}

/** What a group of columns is called. */
function titleOf(name) {
  const titles = {
    energy: "Energies", joint: "Joints", measure: "Measures", spring: "Springs", tyre: "Tyres", point: "Points", body: "Bodies", contact: "Contacts", driver: "Drivers", force: "Forces",
    constraint: "Accuracy", cable: "Cables", chain: "Chains", motor: "Motors", momentum: "Momentum",
  };
  const head = name.split(".")[0];
  return titles[head] || head.charAt(0).toUpperCase() + head.slice(1);
}

class Plot {
  constructor(plots, title, columns) {
    this.plots = plots;
    this.title = title;
    this.columns = columns;
    this.element = document.createElement("section");
    this.element.className = "plot";
    const head = document.createElement("header");
    this.heading = document.createElement("h3");
    this.heading.textContent = title;
    const more = iconButton("plus", `Add a column to ${title}`);
    more.addEventListener("click", () => plots.host.pickColumns(this));
    const close = iconButton("close", `Remove the plot ${title}`);
    close.addEventListener("click", () => plots.remove(this));
    head.append(this.heading, more, close);
    this.list = document.createElement("ul");
    this.list.className = "legend";
    this.canvas = document.createElement("canvas");
    this.canvas.className = "plot-canvas";
    this.canvas.setAttribute("role", "img");
    const frame = document.createElement("div");
    frame.className = "plot-frame";
    // lines that move are elements of their own: the curves need not be drawn anew
    [this.now, this.pointed, this.selected] = ["plot-now", "plot-pointed", "plot-selected"].map((name) => {
      const line = document.createElement("div");
      line.className = name;
      return line;
    });
    frame.append(this.canvas, this.now, this.pointed, this.selected);
    this.element.append(head, frame, this.list);
    this.listen(this.canvas);
    this.legend();
  }

  /** One entry a column: colour, name, value, unit. */
  legend() {
    const { look, table } = this.plots.host;
    this.values = [];
    this.ranges = [];
    this.sizes = this.columns.map((name) => angles.shown(table.unit(name))[1]);
    const entries = this.columns.map((name, i) => {
      const item = document.createElement("li");
      const swatch = document.createElement("span");
      swatch.className = dashed(i) ? "swatch dashed" : "swatch";
      swatch.style.color = look.series(i);
      const label = document.createElement("span");
      label.className = "name";
      label.textContent = name;
      label.title = name;
      const value = document.createElement("span");
      value.className = "value";
      this.values.push(value);
      const unit = document.createElement("span");
      unit.className = "unit";
      [unit.textContent] = angles.shown(table.unit(name));
      const range = document.createElement("span");
      range.className = "range";
      range.title = "Least and greatest value in the time that is shown";
      this.ranges.push(range);
      item.append(swatch, label, value, unit, range);
      return item;
    });
    this.list.replaceChildren(...entries);
    this.canvas.setAttribute("aria-label", `Plot of ${this.columns.join(", ")} over time`);
  }

  listen(canvas) {
    let from = null;
    const timeAt = (event) => this.timeAt(event.offsetX);
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      from = event.offsetX;
    });
    canvas.addEventListener("pointermove", (event) => {
      this.hover = event.offsetX;
      if (from !== null && Math.abs(event.offsetX - from) > 4) this.selection = [from, event.offsetX];
      this.cursor();
    });
    canvas.addEventListener("pointerleave", () => {
      this.hover = null;
      this.cursor();
    });
    const end = (event) => {
      if (from === null) return;
      if (this.selection) {
        const [a, b] = this.selection.map((x) => this.timeAt(x)).sort((x, y) => x - y);
        if (b - a > 0) this.plots.range = [a, b];
      } else {
        this.plots.host.seek(timeAt(event));
      }
      from = null;
      this.selection = null;
      this.plots.draw();
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", () => {
      from = null;
      this.selection = null;
      this.cursor();
    });
    canvas.addEventListener("dblclick", () => {
      this.plots.range = null;
      this.plots.draw();
    });
  }

  timeAt(x) {
    const [t0, t1] = this.plots.shownRange();
    const share = (x - this.left) / Math.max(1, this.width - this.left - this.right);
    return t0 + Math.min(1, Math.max(0, share)) * (t1 - t0);
  }

  xOf(t) {
    const [t0, t1] = this.plots.shownRange();
    return this.left + ((t - t0) / (t1 - t0 || 1)) * (this.width - this.left - this.right);
  }

  yOf(y) {
    return this.bottom - ((y - this.low) / (this.high - this.low || 1)) * (this.bottom - this.topEdge);
  }

  /** Fits a canvas to its place on the screen. */
  prepare(canvas) {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (width === 0 || height === 0) return null;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.width = width;
    this.height = height;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  }

  /** Lowest and highest value in the range shown, with some room. */
  measure() {
    const { table } = this.plots.host;
    const [t0, t1] = this.plots.shownRange();
    let low = Infinity, high = -Infinity;
    this.columns.forEach((name, k) => {
      const values = table.column(name), size = this.sizes[k];
      let [least, most] = [Infinity, -Infinity];
      for (let i = 0; values && i < table.count; i++) {
        const y = values[i] * size, t = table.times[i];
        if (t < t0 || t > t1 || !Number.isFinite(y)) continue;
        if (y < least) least = y;
        if (y > most) most = y;
      }
      const text = least <= most ? `${tell(least)} … ${tell(most)}` : "";
      if (this.ranges[k].textContent !== text) this.ranges[k].textContent = text;
      low = Math.min(low, least);
      high = Math.max(high, most);
    });
    if (low > high) [low, high] = [0, 1];
    // what differs by rounding only is flat
    const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-5 || 1e-9;
    if (high - low < least) {
      const middle = (low + high) / 2;
      [low, high] = [middle - Math.max(least * 10, 1e-9), middle + Math.max(least * 10, 1e-9)];
    }
    const room = 0.06 * (high - low);
    this.low = low - room;
    this.high = high + room;
  }

  draw() {
    const { host } = this.plots;
    const context = this.prepare(this.canvas);
    if (!context) return;
    this.measure();
    const { muted: ink, line, sans } = host.css;
    context.font = `11px ${sans}`;
    const [unit] = angles.shown(this.plots.host.table.unit(this.columns[0]));
    this.topEdge = unit ? 18 : 8;
    this.bottom = this.height - 20;
    this.right = 10;
    const [t0, t1] = this.plots.shownRange();
    const { ticks, step: stepY } = ticksWithin(this.low, this.high, (this.bottom - this.topEdge) / 18);
    const texts = ticks.map((y) => tellTick(y, stepY, Math.max(-this.low, this.high)));
    this.left = Math.ceil(Math.max(24, ...texts.map((text) => context.measureText(text).width))) + 12;
    context.fillStyle = ink;
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    ticks.forEach((y, i) => {
      const at = Math.round(this.yOf(y)) + 0.5;
      context.beginPath();
      context.moveTo(this.left, at);
      context.lineTo(this.width - this.right, at);
      context.stroke();
      context.fillText(texts[i], this.left - 6, at);
    });
    context.textBaseline = "top";
    if (unit) context.fillText(unit, this.left - 6, 1);
    const { ticks: times, step: stepX } = ticksWithin(t0, t1, (this.width - this.left) / 60);
    /** For tests: how many ticks the axes have, and the unit that stands at the upright one. */
    this.axes = { across: times.length, upright: ticks.length, unit };
    times.forEach((t, n) => {
      const x = Math.round(this.xOf(t)) + 0.5;
      context.beginPath();
      context.moveTo(x, this.topEdge);
      context.lineTo(x, this.bottom);
      context.stroke();
      const text = tellTick(t, stepX, t1) + (n === 0 ? " s" : "");
      const half = context.measureText(text).width / 2;
      context.textAlign = "center";
      context.fillText(text, Math.min(this.width - half - 1, Math.max(half, x)), this.bottom + 5);
    });
    context.save();
    context.beginPath();
    context.rect(this.left, 0, this.width - this.left - this.right + 1, this.height);
    context.clip();
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    this.columns.forEach((name, i) => {
      context.strokeStyle = host.look.series(i);
      context.setLineDash(dashed(i) ? [6, 3] : []);
      this.curve(context, host.table.column(name), this.sizes[i]);
    });
    context.restore();
    this.cursor();
  }

  /** A line with gaps where there is no value; where rows are denser than pixels, lowest and highest of each pixel. */
  curve(context, values, size) {
    const { table } = this.plots.host;
    if (!values || table.count === 0) return;
    const [t0, t1] = this.plots.shownRange();
    const first = Math.max(0, table.locate(t0).index), last = Math.min(table.count - 1, table.locate(t1).index + 1);
    const dense = last - first > 3 * this.width;
    let down = false, pixel = NaN, low = 0, high = 0;
    context.beginPath();
    for (let i = first; i <= last; i++) {
      const y = values[i] * size;
      if (!Number.isFinite(y)) {
        down = false;
        pixel = NaN;
        continue;
      }
      const x = this.xOf(table.times[i]);
      const at = this.yOf(y);
      if (dense && Math.round(x) === pixel) {
        low = Math.min(low, at);
        high = Math.max(high, at);
        continue;
      }
      if (dense && !Number.isNaN(pixel)) {
        context.lineTo(pixel, low);
        context.lineTo(pixel, high);
      }
      pixel = Math.round(x);
      low = high = at;
      if (down) context.lineTo(x, at);
      else context.moveTo(x, at);
      down = true;
    }
    context.stroke();
  }

  cursor() {
    const { host } = this.plots;
    if (this.left !== undefined) {
      this.line(this.now, this.xOf(host.time()));
      this.line(this.pointed, this.hover ?? -1);
      this.selected.hidden = !this.selection;
      if (this.selection) {
        this.selected.style.left = `${Math.max(this.left, Math.min(...this.selection))}px`;
        this.selected.style.width = `${Math.abs(this.selection[1] - this.selection[0])}px`;
      }
    }
    // numbers that change with every picture cannot be read
    const now = performance.now();
    if (host.playing() && now - (this.told || 0) < 100) return;
    this.told = now;
    // under the pointer the legend tells what is there, else what is now
    const t = this.hover !== null && this.hover !== undefined && !host.playing() ? this.timeAt(this.hover) : host.time();
    this.columns.forEach((name, i) => {
      const text = tell(host.table.value(name, t) * this.sizes[i]);
      if (this.values[i].textContent !== text) this.values[i].textContent = text;
    });
  }

  /** Puts a line where it belongs; out of the range it is not seen. */
  line(element, x) {
    const seen = x >= this.left - 1 && x <= this.width - this.right + 1;
    element.style.visibility = seen ? "visible" : "hidden";
    if (seen) element.style.transform = `translateX(${Math.round(x)}px)`;
  }
}
