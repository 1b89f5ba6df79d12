// What can be switched on and off: light and dark, labels, arrows, paths of points.

Object.assign(Viewer.prototype, {
  watchTheme() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    let kept = null;
    try {
      kept = localStorage.getItem("linkwork-theme");
    } catch {
      // a page from a file may not be allowed to keep anything
    }
    this.themeKept = kept !== null;
    this.setTheme(kept ? kept === "dark" : dark.matches);
    dark.addEventListener("change", () => !this.themeKept && this.setTheme(dark.matches));
  },

  setTheme(dark, keep = false) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.look = new Look(dark);
    const style = getComputedStyle(document.documentElement);
    this.css = {};
    for (const name of ["muted", "line", "accent", "select", "sans"]) this.css[name] = style.getPropertyValue(`--${name}`).trim();
    if (this.drawing) this.drawing.colour(this.look);
    if (keep) {
      this.themeKept = true;
      try {
        localStorage.setItem("linkwork-theme", dark ? "dark" : "light");
      } catch {
        // see above
      }
    }
    for (const plot of this.plots.plots) plot.legend();
    this.plots.draw();
    this.redraw();
  },

  /** Plots have changed. */
  changed() {
    if (this.live) this.live.watch();
  },

  pickColumns(plot) {
    openPicker(this, plot);
  },

  shownChanged() {
    const { labels, arrows } = this.shown;
    byId("labels").setAttribute("aria-pressed", String(labels.bodies || labels.points || labels.joints));
    byId("arrows").setAttribute("aria-pressed", String(arrows.reaction || arrows.spring || arrows.force));
    if (this.live) this.live.watch();
    this.redraw();
  },

  toggleLabels() {
    const { labels } = this.shown;
    const on = !(labels.bodies || labels.points || labels.joints);
    labels.bodies = labels.points = on;
    labels.joints = false;
    fillShow(this);
    this.shownChanged();
  },

  toggleArrows() {
    const { arrows } = this.shown;
    const on = !(arrows.reaction || arrows.spring || arrows.force);
    for (const kind of ["reaction", "spring", "force"]) arrows[kind] = on && this.scene.arrows.some((arrow) => arrow.kind === kind);
    fillShow(this);
    this.shownChanged();
  },

  /** The path of a point on or off. */
  trace(i, on) {
    const point = this.scene.points[i];
    if (!point) return;
    const { traces } = this.shown;
    if (!on) traces.delete(i);
    else {
      const used = new Set([...traces.values()].map((trace) => trace.colour));
      let colour = 1;
      while (used.has(`body:${colour}`) && colour < PALETTE.length) colour++;
      const trace = { point, colour: `body:${colour}`, times: new Float64Array(4096), places: new Float64Array(3 * 4096), count: 0 };
      traces.set(i, trace);
      if (!this.live) {
        trace.times = this.times;
        trace.places = new Float64Array(3 * this.poses.length);
        trace.count = this.poses.length;
        const at = [0, 0, 0];
        this.poses.forEach((pose, k) => {
          if (pose.present[point.spot.body]) this.drawing.spot(pose, point.spot, at);
          else at.fill(NaN);
          trace.places.set(at, 3 * k);
        });
      }
    }
    fillTraces(this);
    this.redraw();
  },

  growTrace(trace) {
    if (!this.pose.present[trace.point.spot.body]) return;
    if (trace.count === trace.times.length) {
      trace.times.copyWithin(0, 1024);
      trace.places.copyWithin(0, 3 * 1024);
      trace.count -= 1024;
    }
    trace.times[trace.count] = this.t;
    trace.places.set(this.drawing.spot(this.pose, trace.point.spot), 3 * trace.count);
    trace.count++;
  },
});
