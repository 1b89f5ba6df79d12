// The connection to a running engine: frames in, wishes out. It comes back by itself when it is lost.

class Live {
  constructor(viewer) {
    this.viewer = viewer;
    this.socket = null;
    this.reader = null;
    /** The newest frame that is not drawn yet. */
    this.waiting = null;
    this.watched = [];
    this.state = "";
    this.failure = null;
    this.wait = 500;
    this.lastMove = 0;
    this.pendingMove = null;
    this.sending = new Map();
    this.rows = {};
    /** The last message, once it is taken. */
    this.heard = Promise.resolve();
    byId("formulation").addEventListener("change", (event) => this.send({ type: "choose", formulation: event.target.value }));
    byId("integrator").addEventListener("change", (event) => this.send({ type: "choose", integrator: event.target.value }));
    this.connect();
  }

  connect() {
    const token = new URLSearchParams(location.search).get("token") || "";
    const secure = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${secure}://${location.host}/live?token=${encodeURIComponent(token)}`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.wait = 500;
      this.viewer.notice("");
    });
    socket.addEventListener("message", (event) => {
      try {
        if (typeof event.data === "string") this.hear(JSON.parse(event.data));
        else this.takeFrame(event.data);
      } catch (error) {
        this.viewer.failed(error);
      }
    });
    socket.addEventListener("close", () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.viewer.release();
      this.setState("lost");
      this.viewer.notice("The connection to the engine is lost. Trying again…");
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(8000, this.wait * 2);
    });
  }

  send(message) {
    if (!this.socket || this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Messages are taken in their order; a scene has to be unpacked before, and frames of it wait for nothing: the next one shows it. */
  hear(message) {
    const unpacked = message.type === "hello" ? unpackScene(message.data.scene) : null;
    if (unpacked) this.reader = null;
    this.heard = Promise.all([this.heard, unpacked])
      .then(() => this.take(message))
      .catch((error) => this.viewer.failed(error));
  }

  take(message) {
    if (message.type === "hello") this.hello(message);
    else if (message.type === "status") this.status(message);
    else if (message.type === "faults") this.viewer.fault(message.text, "The model has faults. What is seen is the last that ran.");
  }

  hello(message) {
    const { viewer } = this;
    const { data } = message;
    viewer.fault(null);
    this.failure = null;
    this.waiting = null;
    viewer.show(data, [], new Table((data.table && data.table.columns) || []));
    unpackSurfaces(data.scene).then(() => viewer.redraw(), (error) => viewer.failed(error));
    this.reader = new FrameReader(data.scene, data.motion || { quantum: 1e-4, force_quantum: 1 }, true);
    this.sliders("parameters", "set", message.parameters || []);
    this.sliders("inputs", "input", message.inputs || []);
    this.choices("formulation", message.formulations, message.formulation);
    this.choices("integrator", message.integrators, message.integrator);
    this.watched = [];
    this.watch();
    if (message.state) this.setState(message.state);
  }

  status(message) {
    this.setState(message.state);
    const { viewer } = this;
    const factor = Number.isFinite(message.factor) ? `${message.factor.toFixed(2)}× real time` : "";
    // what has failed stands over the picture
    const running = message.state === "running";
    byId("factor").textContent = [running && factor, message.state !== "failed" && message.message].filter(Boolean).join(" · ");
    if (Number.isFinite(message.speed)) viewer.speedTold(message.speed);
    const watchers = message.watchers > 1 ? `${message.watchers} pages watch this run.` : "";
    byId("live-state").textContent = watchers;
    if (message.formulation) this.chosen("formulation", message.formulation);
    if (message.integrator) this.chosen("integrator", message.integrator);
    if (Array.isArray(message.parameters)) this.sliders("parameters", "set", message.parameters);
    if (Array.isArray(message.inputs)) this.sliders("inputs", "input", message.inputs);
    // told once: who has hidden it does not want it again
    const failure = message.state === "failed" ? message.message || "The run failed." : null;
    if (failure !== this.failure) {
      this.failure = failure;
      viewer.fault(failure, "The run has failed. Reset it or change the model.");
    }
  }

  setState(state) {
    if (!state) return;
    this.state = state;
    const badge = byId("badge");
    badge.hidden = false;
    badge.textContent = { running: "running", paused: "paused", ended: "ended", failed: "failed", faulty: "faults in the model", lost: "not connected" }[state] || state;
    badge.className = `badge ${{ failed: "bad", faulty: "bad", lost: "warn", ended: "warn" }[state] || ""}`;
    this.viewer.showPlaying(state === "running");
  }

  /** A frame: its values are kept at once, of its motion only the newest is ever drawn. */
  takeFrame(buffer) {
    const view = new DataView(buffer);
    if (view.getUint8(0) !== 1 || !this.reader) return;
    const t = view.getFloat64(1, true);
    const count = view.getUint32(9, true);
    if (count === this.watched.length) {
      const values = new Float32Array(count);
      for (let i = 0; i < count; i++) values[i] = view.getFloat32(13 + 4 * i, true);
      this.viewer.table.push(t, this.watched, values);
    }
    this.waiting = { t, bytes: new Uint8Array(buffer), at: 13 + 4 * count };
    this.viewer.redraw();
  }

  /** The newest pose, if it has not been asked for. */
  newest() {
    if (!this.waiting) return null;
    const { t, bytes, at } = this.waiting;
    this.waiting = null;
    return this.reader.read(new Integers(bytes, at), t);
  }

  /** Asks for the columns that plots and arrows need. */
  watch() {
    const { table, plots, scene, shown } = this.viewer;
    const wanted = new Set(plots.columns().flatMap((name) => table.magnitudes.get(name) || [name]));
    for (const arrow of scene.arrows) if (shown.arrows[arrow.kind]) arrow.columns.forEach((name) => wanted.add(name));
    // the engine takes no more; those of plots come first
    const columns = [...wanted].filter((name) => table.has(name)).slice(0, 256);
    if (columns.join("\n") === this.watched.join("\n")) return;
    if (this.send({ type: "watch", columns })) this.watched = columns;
  }

  choices(id, names, chosen) {
    if (!Array.isArray(names)) return;
    byId(id).replaceChildren(...names.map((name) => new Option(name, name)));
    this.chosen(id, chosen);
  }

  chosen(id, name) {
    const select = byId(id);
    if (!name || document.activeElement === select) return;
    if (![...select.options].some((option) => option.value === name)) select.append(new Option(name, name));
    select.value = name;
  }

  /** A slider and a field for each parameter or input, which are sent as messages of a type. Where the names are the same as before, only values change: a slider in hand stays in hand. */
  sliders(id, type, list) {
    const place = byId(id);
    const key = JSON.stringify(list.map(({ name, label, low, high, unit }) => [name, label, low, high, unit]));
    const known = this.rows[id];
    if (!known || known.key !== key) {
      const rows = list.map((slider, i) => this.sliderRow(id, type, slider, i));
      this.rows[id] = { key, rows };
      place.replaceChildren(...rows.map((row) => row.element));
      if (id === "inputs") byId("inputs-part").hidden = list.length === 0;
      else if (list.length === 0) place.replaceChildren(textElement("p", "The model has no [parameters].", "note"));
    }
    list.forEach((slider, i) => this.rows[id].rows[i].set(slider.value));
  }

  sliderRow(id, type, { name, label: said, low, high, unit }, i) {
    const element = document.createElement("div");
    element.className = "parameter";
    const label = textElement("label", said || name);
    label.title = name;
    label.htmlFor = `${id}-${i}`;
    const ranged = Number.isFinite(low) && Number.isFinite(high) && low < high;
    const values = document.createElement("div");
    values.className = ranged ? "values" : "values bare";
    const field = document.createElement("input");
    field.type = "number";
    field.step = "any";
    field.id = `${id}-${i}`;
    const slider = document.createElement("input");
    slider.type = "range";
    slider.setAttribute("aria-label", said || name);
    if (ranged) {
      slider.min = String(low);
      slider.max = String(high);
      slider.step = String((high - low) / 200);
      values.append(slider);
    }
    values.append(field, textElement("span", unit || "", "unit"));
    slider.addEventListener("input", () => {
      const value = Number(Number(slider.value).toPrecision(6));
      field.value = String(value);
      this.set(type, name, value);
    });
    field.addEventListener("change", () => {
      const value = Number(field.value);
      if (field.value === "" || !Number.isFinite(value)) return;
      slider.value = String(value);
      this.set(type, name, value);
    });
    element.append(label, values);
    const set = (value) => {
      if (!Number.isFinite(value) || document.activeElement === field || document.activeElement === slider) return;
      field.value = String(Number(value.toPrecision(8)));
      slider.value = String(value);
    };
    return { element, set };
  }

  /** Sends a value, at most ten times a second; the last one always goes. */
  set(type, name, value) {
    const key = `${type} ${name}`;
    const timer = this.sending.get(key);
    if (timer) {
      timer.value = value;
      return;
    }
    this.send({ type, name, value });
    const entry = { value };
    entry.id = setTimeout(() => {
      this.sending.delete(key);
      if (entry.value !== value) this.set(type, name, entry.value);
    }, 100);
    this.sending.set(key, entry);
  }

  /** The hand has moved: told at most sixty times a second. */
  move(to) {
    const now = performance.now();
    this.pendingMove = to;
    if (now - this.lastMove >= 16) return this.sendMove(now);
    if (!this.moveTimer) this.moveTimer = setTimeout(() => this.sendMove(performance.now()), 17);
  }

  sendMove(now) {
    clearTimeout(this.moveTimer);
    this.moveTimer = 0;
    if (!this.pendingMove) return;
    this.lastMove = now;
    this.send({ type: "move", to: this.pendingMove });
    this.pendingMove = null;
  }

  endMove() {
    this.sendMove(performance.now());
    this.send({ type: "release" });
  }
}
