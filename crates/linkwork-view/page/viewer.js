// The viewer: what is shown now, and when it is drawn. Nothing is drawn while nothing changes. What the pointer does is in pointing.js, what can be
// switched on and off in choices.js.

class Viewer {
  constructor() {
    this.canvas = byId("picture");
    this.overlay = byId("overlay");
    this.axes = byId("axes");
    this.look = new Look(false);
    this.live = null;
    this.poses = [];
    this.pose = null;
    this.table = new Table([]);
    this.t = 0;
    this.speed = 1;
    this.loop = true;
    this.running = false;
    this.followed = 0;
    this.marked = 0;
    /** The named point under the pointer. */
    this.near = null;
    this.held = null;
    this.pictures = 0;
    this.spent = new Float64Array(60);
    this.dirty = false;
    this.shown = {
      contacts: true, floor: true, forceScale: 1, arrowScale: {}, marked: 0, hand: null, bounds: null,
      arrows: { reaction: false, spring: false, force: false },
      labels: { bodies: false, points: false, joints: false },
      traces: new Map(),
      table: this.table,
      /** What colours show of beams and of modal bodies: the key of a field, or nothing. */
      shades: { beams: "curvature", bodies: "displacement" },
      /** Displacements of modal bodies are enlarged by this. */
      enlarged: 1,
    };
    this.plots = new Plots(byId("plots"), this);
    this.renderer = this.makeRenderer();
    wireControls(this);
    wirePointer(this, this.canvas);
    wireShow(this);
    wirePictures(this);
    byId("add-plot").addEventListener("click", () => openPicker(this));
    angles.read();
    const degrees = byId("degrees");
    degrees.setAttribute("aria-pressed", String(angles.degrees));
    degrees.addEventListener("click", () => {
      this.plots.setDegrees(!angles.degrees);
      degrees.setAttribute("aria-pressed", String(angles.degrees));
    });
    byId("reset-zoom").addEventListener("click", () => {
      this.plots.range = null;
      this.plots.draw();
    });
    byId("picker-close").addEventListener("click", () => byId("picker").close());
    this.watchTheme();
    new ResizeObserver(() => this.resize()).observe(byId("view"));
  }

  makeRenderer() {
    const asked = new URLSearchParams(location.search).has("paint");
    if (!asked) {
      try {
        const renderer = new GlRenderer(this.canvas);
        renderer.onRestored = () => this.redraw();
        return renderer;
      } catch {
        // no WebGL2 here: painted instead, on a canvas that has not been spoilt by asking
        const fresh = this.canvas.cloneNode();
        this.canvas.replaceWith(fresh);
        this.canvas = fresh;
      }
    }
    return new PaintRenderer(this.canvas);
  }

  // ---- what is shown

  /** Takes a scene with its motion and results. Choices of the user stay where they still make sense. */
  show(data, poses, table) {
    const again = this.scene && this.scene.name === data.scene.name && this.scene.dimension === data.scene.dimension;
    const columns = again ? this.plots.plots.map((plot) => [plot.title, plot.columns.filter((name) => table.has(name))]) : null;
    const traced = again ? [...this.shown.traces.keys()].map((i) => this.scene.points[i].name) : [];
    const followed = again && this.followed ? this.scene.bodies[this.followed].name : null;
    this.data = data;
    this.scene = data.scene;
    this.poses = poses;
    this.table = this.shown.table = table;
    this.times = Float64Array.from(poses, (pose) => pose.t);
    this.renderer.forget();
    this.drawing = new Drawing(this.scene, this.renderer.soft);
    this.drawing.colour(this.look);
    this.pose = poses.length ? poseOf(this.scene, this.scene.joints.length) : null;
    this.t = this.span()[0];
    this.shown.traces.clear();
    this.release();
    this.near = null;
    this.marked = 0;
    // what a live view has been fitted to stays
    const seen = again && this.live ? this.shown.bounds : null;
    this.survey();
    if (seen) this.shown.bounds = seen;
    if (!again) {
      this.fitted = false;
      const { yaw, pitch } = this.camera || {};
      this.camera = new Camera(this.scene);
      const view = this.scene.view || {};
      if (view.direction) this.camera.lookFrom(view.direction);
      if (yaw !== undefined && this.live) Object.assign(this.camera, { yaw, pitch });
      this.followed = view.follow ?? this.worthFollowing();
      this.shown.labels.points = view.labels === true;
      this.resize();
      this.fit();
    } else if (followed) {
      this.followed = Math.max(0, this.scene.bodies.findIndex((body) => body.name === followed));
    }
    this.camera.reach = this.reach();
    this.lastPlace = null;
    this.place();
    if (!again) for (const i of this.scene.view?.traces || []) this.trace(i, true);
    for (const name of traced) this.trace(this.scene.points.findIndex((point) => point.name === name), true);
    this.plots.clear();
    if (columns) for (const [title, names] of columns) names.length && this.plots.add(title, names);
    else firstPlots(this);
    byId("no-plots").hidden = this.plots.plots.length > 0 || table.columns.length > 0;
    this.arrowScales();
    if (!again) this.firstShades();
    this.parallelTold();
    fillShow(this);
    fillRun(this, data);
    this.describe();
    this.redraw();
    this.plots.draw();
  }

  /** Bounds over the whole motion, guides, contact forces. */
  survey() {
    for (const pose of this.poses) this.drawing.survey(pose);
    // stresses at all corners take their time
    const few = Math.max(1, Math.floor(this.poses.length / 300));
    this.poses.filter((_, i) => i % few === 0).forEach((pose) => this.drawing.deformables.survey(pose));
    const stride = Math.max(1, Math.floor(this.poses.length / 80));
    this.firstBounds = this.sound(this.drawing.boundsOf(this.poses.slice(0, 1)));
    const size = lengthOf(subtract(this.firstBounds[1], this.firstBounds[0]));
    for (const pose of this.poses) this.drawing.watchEscapes(pose, size);
    this.shown.bounds = this.sound(this.drawing.boundsOf(this.poses.filter((_, i) => i % stride === 0 || i === this.poses.length - 1)));
  }

  /** Bounds that can be looked at: where nothing is drawn, those the scene tells. */
  sound(bounds) {
    if (bounds.flat().every(Number.isFinite)) return bounds;
    const told = this.scene.bounds;
    return told && told.flat().every(Number.isFinite) ? told : [[-1, -1, -1], [1, 1, 1]];
  }

  reach() {
    const [low, high] = this.shown.bounds;
    const size = lengthOf(subtract(high, low)) + 10 * this.drawing.unit;
    return this.drawing.plane ? Math.max(size, 2 * this.drawing.height) : size;
  }

  /** A mechanism that travels far is followed by the body with most joints. */
  worthFollowing() {
    const size = (box) => lengthOf(subtract(box[1], box[0]));
    // in the plane a path tells more than what moves along it
    const far = this.drawing.plane ? 25 : 4;
    if (this.scene.chains.length || !(size(this.shown.bounds) > far * size(this.firstBounds))) return 0;
    return this.mostJoined();
  }

  mostJoined() {
    const joints = new Array(this.scene.bodies.length).fill(0);
    for (const joint of this.scene.joints) for (const spot of joint.spots) joints[spot.body]++;
    let best = 0;
    for (let b = 1; b < joints.length; b++) if (best === 0 || joints[b] > joints[best]) best = b;
    return best;
  }

  /** A length of arrows that suits most forces of a kind: rare peaks may go beyond. */
  arrowScales() {
    const scales = {};
    const rows = Math.max(1, Math.floor(this.table.count / 200));
    for (const kind of ["reaction", "spring", "force"]) {
      const sizes = [];
      for (const arrow of this.scene.arrows) {
        if (arrow.kind !== kind) continue;
        const columns = arrow.columns.map((name) => this.table.column(name));
        if (columns.some((column) => !column)) continue;
        for (let i = 0; i < this.table.count; i += rows) {
          const force = Math.hypot(...columns.map((column) => column[i]));
          if (force > 0 && Number.isFinite(force)) sizes.push(force);
        }
      }
      sizes.sort((a, b) => a - b);
      scales[kind] = sizes[Math.floor(0.75 * (sizes.length - 1))] || 1;
    }
    this.shown.arrowScale = scales;
  }

  /** What a page begins with: stresses where they are known, and deformations large enough to be seen. */
  firstShades() {
    const { deformables } = this.drawing;
    const stresses = deformables.fields("bodies").some((field) => field.key === "stress");
    this.shown.shades = { beams: "curvature", bodies: stresses ? "stress" : "displacement" };
    this.shown.enlarged = 1;
  }

  describe() {
    const { scene, data } = this;
    const title = scene.name || "Mechanism";
    byId("title").textContent = title;
    document.title = `${title} – Linkwork`;
    const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
    const bodies = scene.bodies.filter((body) => !body.auxiliary).length - 1;
    const parts = [count(bodies, "body", "bodies"), count(scene.joints.length, "joint")];
    if (scene.springs.length) parts.push(count(scene.springs.length, "spring"));
    if (scene.chains.length) parts.push(count(scene.chains.length, "chain"));
    if (scene.beams?.length) parts.push(count(scene.beams.length, "beam"));
    const [start, end] = this.span();
    if (!this.live) parts.push(`${tell(end - start)} s`);
    byId("subtitle").textContent = parts.join(" · ");
    this.canvas.setAttribute("aria-label", `${title}, moving: ${parts.join(", ")}. ${scene.bodies.slice(1, 12).map((body) => body.name).join(", ")}`);
    if (!this.live) {
      const status = data.summary && data.summary.status;
      const badge = byId("badge");
      badge.hidden = !status || status === "finished";
      badge.textContent = status || "";
      badge.className = `badge ${status === "failed" ? "bad" : "warn"}`;
      const slider = byId("time");
      slider.min = String(start);
      slider.max = String(end);
      slider.disabled = !(end > start);
      byId("of").textContent = ` / ${tell(end)}`;
      this.speed = firstSpeed(end - start);
      fillSpeeds(byId("speed"), speedsFor(end - start), this.speed);
    }
    // as many digits as tell frames apart
    const step = this.times.length > 1 ? (end - start) / (this.times.length - 1) : 0.01;
    this.digits = Math.min(8, Math.max(2, Math.ceil(-Math.log10(step || 0.01))));
  }

  // ---- time

  span() {
    if (this.live) {
      const { times, count } = this.table;
      const now = this.t;
      return [Math.max(count ? times[0] : 0, now - 60), Math.max(now, (count ? times[0] : 0) + 5)];
    }
    return this.times && this.times.length ? [this.times[0], this.times[this.times.length - 1]] : [0, 0];
  }

  time() {
    return this.t;
  }

  playing() {
    return this.live ? this.live.state === "running" : this.running;
  }

  seek(t) {
    if (this.live || !Number.isFinite(t)) return;
    const [start, end] = this.span();
    this.t = Math.min(end, Math.max(start, t));
    this.redraw();
    if (!this.running) this.announce();
  }

  play() {
    if (this.live) return this.live.send({ type: "play" });
    const [start, end] = this.span();
    if (!(end > start)) return;
    if (this.t >= end) this.t = start;
    this.running = true;
    this.clock = null;
    this.showPlaying(true);
    this.redraw();
  }

  pause() {
    if (this.live) return this.live.send({ type: "pause" });
    this.running = false;
    this.showPlaying(false);
    this.announce();
    this.redraw();
  }

  toggle() {
    if (this.playing()) this.pause();
    else this.play();
  }

  restart() {
    if (this.live) this.live.send({ type: "reset" });
    else this.seek(this.span()[0]);
  }

  step(frames) {
    if (this.live) return frames > 0 && this.live.send({ type: "step" });
    this.pause();
    const { index, share } = locate(this.times, this.times.length, this.t);
    const from = frames < 0 && share > 1e-9 ? index + 1 : index;
    this.seek(this.times[Math.min(this.times.length - 1, Math.max(0, from + frames))]);
  }

  setSpeed(speed) {
    this.speed = speed;
    byId("speed").value = String(speed);
    if (this.live) this.live.send({ type: "speed", value: speed });
  }

  /** The engine says how fast it goes. */
  speedTold(speed) {
    const select = byId("speed");
    if (document.activeElement === select) return;
    if (![...select.options].some((option) => Number(option.value) === speed)) select.append(new Option(`${tell(speed)}×`, String(speed)));
    this.speed = speed;
    select.value = String(speed);
  }

  faster(steps) {
    const speeds = [...byId("speed").options].map((option) => Number(option.value));
    const at = speeds.indexOf(this.speed) + steps;
    if (at >= 0 && at < speeds.length) this.setSpeed(speeds[at]);
  }

  showPlaying(on) {
    const button = byId("play");
    button.querySelector("use").setAttribute("href", on ? "#i-pause" : "#i-play");
    const label = on ? "Pause" : "Play";
    button.setAttribute("aria-label", label);
    button.title = `${label} (space)`;
  }

  announce() {
    byId("announce").textContent = `${this.t.toFixed(this.digits)} seconds`;
  }

  // ---- pictures

  redraw() {
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.dirty = false;
    try {
      if (this.running) {
        const [start, end] = this.span();
        if (this.clock !== null) this.t += Math.min(0.1, (now - this.clock) / 1000) * this.speed;
        this.clock = now;
        if (this.t > end) {
          if (this.loop) this.t = start + ((this.t - start) % (end - start || 1));
          else {
            this.t = end;
            this.pause();
          }
        }
      }
      this.picture();
    } catch (error) {
      this.running = false;
      this.failed(error);
    }
    if (this.running) this.redraw();
  }

  /** Puts everything where it is now. */
  place() {
    if (this.live) {
      const pose = this.live.newest();
      if (!pose) return;
      const first = !this.pose;
      this.pose = pose;
      this.t = pose.t;
      this.drawing.survey(pose);
      this.drawing.deformables.survey(pose);
      if (first) this.firstLivePose();
      else this.keepInView();
      for (const trace of this.shown.traces.values()) this.growTrace(trace);
    } else if (this.poses.length) {
      const { index, share } = locate(this.times, this.times.length, this.t);
      blendPoses(this.poses[index], this.poses[Math.min(index + 1, this.poses.length - 1)], share, this.pose);
    }
  }

  firstLivePose() {
    this.firstBounds = this.sound(this.drawing.boundsOf([this.pose]));
    if (this.fitted) this.keepInView();
    else {
      this.fitted = true;
      this.fit();
    }
    this.camera.reach = Math.max(this.camera.reach, this.reach());
  }

  /** What moves out of a live picture draws it back, until the user takes the view in hand; what flies away is followed. */
  keepInView() {
    if (this.camera.taken || this.followed || this.held) return;
    const size = (box) => lengthOf(subtract(box[1], box[0]));
    this.drawing.watchEscapes(this.pose, size(this.firstBounds));
    const now = this.sound(this.drawing.boundsOf([this.pose]));
    const [low, high] = this.shown.bounds;
    if (now[0].every((x, k) => x >= low[k]) && now[1].every((x, k) => x <= high[k])) return;
    this.shown.bounds = [low.map((x, k) => Math.min(x, now[0][k])), high.map((x, k) => Math.max(x, now[1][k]))];
    if (size(this.shown.bounds) > 12 * size(this.firstBounds)) this.follow(this.mostJoined());
    else this.fitTo(this.shown.bounds);
  }

  fitTo(bounds) {
    this.camera.fit(bounds, this.live ? 1.2 : 1.12);
    this.camera.reach = Math.max(this.camera.reach, this.reach());
    this.camera.update();
  }

  picture() {
    if (!this.drawing || !this.camera) return;
    const begun = performance.now();
    this.place();
    if (!this.pose) return;
    this.keepFollowing();
    this.shown.marked = this.marked;
    if (this.held) this.shown.hand = [this.drawing.spot(this.pose, this.held), this.held.to];
    if (this.live) this.liveArrowScale();
    this.drawing.update(this.pose, this.camera, this.shown);
    this.sharpen(begun);
    this.renderer.draw(this.drawing, this.camera, this.look);
    drawLegends(this);
    drawLabels(this, this.overlay, this.ratio);
    drawAxes(this, this.axes, this.ratio);
    this.showTime();
    if (!this.live) this.plots.cursor();
    else if (begun - (this.plotted || 0) > 66) {
      this.plotted = begun;
      this.plots.draw();
    }
    this.afterPicture?.();
    this.spent[this.pictures % this.spent.length] = performance.now() - begun;
    this.pictures++;
    window.linkwork.ready = true;
  }

  /** Without a graphics card pictures that follow each other are drawn coarsely; when all stands still, one is drawn finely. */
  sharpen(now) {
    if (!this.renderer.soft) return;
    clearTimeout(this.still);
    const quick = this.playing() || this.drawnAt === undefined || now - this.drawnAt < 120;
    this.drawnAt = now;
    const wanted = quick ? this.ratio : 2 * this.ratio;
    if (wanted !== this.sharp) {
      this.sharp = wanted;
      this.renderer.resize(this.camera.width, this.camera.height, wanted);
    }
    if (quick && !this.playing()) this.still = setTimeout(() => this.redraw(), 150);
  }

  showTime() {
    const now = performance.now();
    if (this.playing() && now - (this.toldTime || 0) < 45) return;
    this.toldTime = now;
    const text = this.t.toFixed(this.digits);
    byId("now").textContent = text.replace("-", "−");
    if (this.live) return;
    const slider = byId("time");
    slider.value = String(this.t);
    slider.setAttribute("aria-valuetext", `${text} seconds`);
  }

  liveArrowScale() {
    for (const kind of ["reaction", "spring", "force"]) {
      if (!this.shown.arrows[kind]) continue;
      let most = 0;
      for (const arrow of this.scene.arrows) {
        if (arrow.kind === kind) most = Math.max(most, Math.hypot(...arrow.columns.map((name) => this.table.value(name, this.t))) || 0);
      }
      const old = this.shown.arrowScale[kind];
      // quick up, slow down
      this.shown.arrowScale[kind] = most > old || old === 1 ? most || 1 : old * 0.998 + most * 0.002;
    }
  }

  keepFollowing() {
    if (!this.followed || !this.pose.present[this.followed]) return;
    const at = Array.from(this.pose.places.subarray(3 * this.followed, 3 * this.followed + 3));
    if (this.lastPlace) {
      this.camera.target = add(this.camera.target, subtract(at, this.lastPlace));
      this.camera.update();
    }
    this.lastPlace = at;
  }

  follow(body) {
    this.followed = body;
    this.lastPlace = null;
    byId("follow").value = String(body);
    this.fit();
  }

  /** The whole motion, or what is about the body that is followed. */
  fit() {
    if (!this.camera) return;
    if (this.followed && this.pose) {
      const [low, high] = this.live ? this.sound(this.drawing.boundsOf([this.pose])) : this.firstBounds;
      const half = scaled(subtract(high, low), 0.5);
      this.place();
      const at = Array.from(this.pose.places.subarray(3 * this.followed, 3 * this.followed + 3));
      const start = this.poses.length ? Array.from(this.poses[0].places.subarray(3 * this.followed, 3 * this.followed + 3)) : at;
      const middle = add(scaled(add(low, high), 0.5), this.live ? [0, 0, 0] : subtract(at, start));
      this.camera.fit([subtract(middle, half), add(middle, half)], 1.2);
      this.lastPlace = at;
    } else {
      let { bounds } = this.shown;
      if (this.live && this.pose) bounds = this.shown.bounds = this.sound(this.drawing.boundsOf([this.pose]));
      this.fitTo(bounds);
    }
    this.camera.taken = false;
    this.camera.reach = Math.max(this.camera.reach, this.reach());
    this.camera.update();
    this.redraw();
  }

  /** Looks from a direction that has a name, without perspective. */
  lookFrom(direction) {
    if (!this.camera || this.camera.plane) return;
    this.camera.parallel = true;
    this.camera.lookFrom(DIRECTIONS[direction]);
    this.parallelTold();
    this.fit();
  }

  /** With or without perspective. */
  setParallel(on) {
    if (!this.camera || this.camera.plane) return;
    this.camera.parallel = on;
    this.camera.update();
    this.parallelTold();
    this.redraw();
  }

  parallelTold() {
    byId("parallel").setAttribute("aria-pressed", String(this.camera.parallel));
    byId("directions").hidden = this.camera.plane;
  }

  resize() {
    const box = byId("view").getBoundingClientRect();
    if (!this.camera || box.width < 1 || box.height < 1) return;
    const changed = this.camera.width !== box.width || this.camera.height !== box.height;
    if (!changed && this.ratio) return;
    const first = this.camera.width === 1;
    // as much is seen as before, also where the picture gets narrower
    const share = first ? 1 : Math.min(1, this.camera.width / this.camera.height) / Math.min(1, box.width / box.height);
    this.camera.half *= share;
    this.camera.width = box.width;
    this.camera.height = box.height;
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    this.sharp = this.ratio;
    this.renderer.resize(box.width, box.height, this.sharp);
    this.camera.update();
    this.redraw();
  }

  // ---- what goes wrong

  fault(text, title = "") {
    byId("fault").hidden = !text;
    byId("fault-title").textContent = title;
    byId("fault-text").textContent = text || "";
  }

  notice(text) {
    byId("notice").hidden = !text;
    byId("notice").textContent = text;
  }

  failed(error) {
    window.linkwork.errors.push(String((error && error.message) || error));
    console.error(error);
    this.fault(String((error && error.message) || error), "The page cannot go on.");
  }
}
