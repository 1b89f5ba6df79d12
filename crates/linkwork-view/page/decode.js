// What the page is fed with: blobs (Base64 of a zlib stream), integers of variable length, the table of results and the motion.
// The formats are described in docs/viewer-data.md.

/** The bytes of a blob. */
async function inflate(base64) {
  const text = atob(base64);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads integers: zig-zag, seven bits a byte, lowest first. */
class Integers {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  next() {
    const { bytes } = this;
    let value = 0;
    let place = 1;
    for (;;) {
      if (this.at >= bytes.length) throw new Error("the motion ends too early");
      const byte = bytes[this.at++];
      // beyond 31 bits shifts would wrap, products do not
      value += (byte & 127) * place;
      if (byte < 128) break;
      place *= 128;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** Where everything is at an instant. Body 0 is the ground, so places in these arrays are places in the scene. */
class Pose {
  constructor(bodies, joints, beams = 0, sections = 0, modalBodies = 0, amplitudes = 0) {
    this.t = 0;
    // far from the origin single precision would be seen to wobble
    this.places = new Float64Array(3 * bodies);
    this.quats = new Float32Array(4 * bodies);
    for (let b = 0; b < bodies; b++) this.quats[4 * b] = 1;
    this.present = new Uint8Array(bodies).fill(1);
    this.closed = new Uint8Array(joints).fill(1);
    /** Three numbers a piece: its chain, its first node and how many it has. */
    this.pieces = [];
    this.nodes = new Float64Array(0);
    /** Sections of all beams, one after the other: place, quaternion and values; and which beams are there. */
    this.sections = new Float64Array(SECTION * sections);
    this.beamThere = new Uint8Array(beams);
    /** Amplitudes of all modal bodies, and which of these are there. */
    this.amplitudes = new Float32Array(amplitudes);
    this.modalThere = new Uint8Array(modalBodies);
    /** Six numbers a contact: place and force. */
    this.contacts = new Float64Array(0);
    this.contactCount = 0;
  }
}

/** A pose of a scene. */
function poseOf(scene, joints) {
  const beams = scene.beams || [], modal = scene.modal_bodies || [];
  const sections = beams.reduce((sum, beam) => sum + beam.half.length, 0);
  return new Pose(scene.bodies.length, joints, beams.length, sections, modal.length, modal.reduce((sum, body) => sum + body.modes, 0));
}

/** Reads frames one after the other; each is told by its differences to the one before (`absolute`: each as if it were the first). */
class FrameReader {
  constructor(scene, motion, absolute = false) {
    this.scene = scene;
    this.bodies = scene.bodies.length;
    this.joints = scene.joints.length;
    this.chains = scene.chains.length;
    this.quantum = motion.quantum;
    this.forceQuantum = motion.force_quantum || 1;
    this.amplitudeQuantum = motion.amplitude_quantum || 1;
    this.beamQuanta = motion.beam_quanta || [];
    this.absolute = absolute;
    this.last = new Float64Array(7 * this.bodies);
    this.lastSections = null;
    this.lastAmplitudes = null;
    this.closed = new Uint8Array(this.joints).fill(1);
    /** Nodes of the frame before, by chain and piece, in quanta. */
    this.nodes = Array.from({ length: this.chains }, () => []);
  }

  read(integers, t) {
    const pose = poseOf(this.scene, 0);
    pose.t = t;
    if (this.absolute) {
      this.last.fill(0);
      this.lastSections = this.lastAmplitudes = null;
      this.closed = new Uint8Array(this.joints).fill(1);
    }
    this.readBodies(integers, pose);
    this.readJoints(integers, pose);
    this.readChains(integers, pose);
    this.readBeams(integers, pose);
    this.readAmplitudes(integers, pose);
    this.readContacts(integers, pose);
    return pose;
  }

  readBodies(integers, pose) {
    const { last, quantum } = this;
    for (let b = 1; b < this.bodies; b++) {
      if (integers.next() === 0) {
        pose.present[b] = 0;
        continue;
      }
      const at = 7 * b;
      for (let k = 0; k < 7; k++) last[at + k] += integers.next();
      for (let k = 0; k < 3; k++) pose.places[3 * b + k] = last[at + k] * quantum;
      const w = last[at + 3], x = last[at + 4], y = last[at + 5], z = last[at + 6];
      writeUnit(w, x, y, z, pose.quats, 4 * b);
    }
  }

  readJoints(integers, pose) {
    const changes = integers.next();
    if (changes > 0) this.closed = this.closed.slice();
    for (let i = 0; i < changes; i++) {
      const joint = integers.next();
      if (joint >= 0 && joint < this.joints) this.closed[joint] ^= 1;
    }
    pose.closed = this.closed;
  }

  readChains(integers, pose) {
    const all = [];
    for (let c = 0; c < this.chains; c++) {
      const before = this.nodes[c];
      const now = [];
      const pieces = integers.next();
      for (let p = 0; p < pieces; p++) {
        const count = integers.next();
        const nodes = new Float64Array(3 * count);
        const old = this.absolute ? null : before[p];
        for (let i = 0; i < 3 * count; i++) {
          let base = 0;
          if (old && i < old.length) base = old[i];
          else if (i >= 3) base = nodes[i - 3];
          nodes[i] = base + integers.next();
        }
        pose.pieces.push(c, all.length / 3, count);
        for (let i = 0; i < nodes.length; i++) all.push(nodes[i] * this.quantum);
        now.push(nodes);
      }
      this.nodes[c] = now;
    }
    pose.nodes = Float64Array.from(all);
  }

  readBeams(integers, pose) {
    const last = (this.lastSections ||= new Float64Array(pose.sections.length));
    let o = 0;
    (this.scene.beams || []).forEach((beam, b) => {
      pose.beamThere[b] = integers.next() === 0 ? 0 : 1;
      const end = o + SECTION * beam.half.length;
      if (!pose.beamThere[b]) o = end;
      for (; o < end; o += SECTION) {
        for (let k = 0; k < SECTION; k++) last[o + k] += integers.next();
        for (let k = 0; k < 3; k++) pose.sections[o + k] = last[o + k] * this.quantum;
        writeUnit(last[o + 3], last[o + 4], last[o + 5], last[o + 6], pose.sections, o + 3);
        for (let k = 7; k < SECTION; k++) pose.sections[o + k] = last[o + k] * this.beamQuanta[k - 7];
      }
    });
  }

  readAmplitudes(integers, pose) {
    const last = (this.lastAmplitudes ||= new Float64Array(pose.amplitudes.length));
    let o = 0;
    (this.scene.modal_bodies || []).forEach((body, b) => {
      pose.modalThere[b] = integers.next() === 0 ? 0 : 1;
      const end = o + body.modes;
      if (!pose.modalThere[b]) o = end;
      for (; o < end; o++) pose.amplitudes[o] = (last[o] += integers.next()) * this.amplitudeQuantum;
    });
  }

  readContacts(integers, pose) {
    const count = integers.next();
    pose.contactCount = count;
    pose.contacts = new Float64Array(6 * count);
    for (let i = 0; i < 6 * count; i++) {
      pose.contacts[i] = integers.next() * (i % 6 < 3 ? this.quantum : this.forceQuantum);
    }
  }
}

/** Writes a quaternion of length one. */
function writeUnit(w, x, y, z, out, at) {
  const norm = Math.hypot(w, x, y, z) || 1;
  out[at] = w === 0 && x === 0 && y === 0 && z === 0 ? 1 : w / norm;
  out[at + 1] = x / norm;
  out[at + 2] = y / norm;
  out[at + 3] = z / norm;
}

/** The frames of a report. */
async function decodeMotion(motion, scene) {
  if (!motion || !motion.blob || !(motion.frames > 0)) return [];
  const bytes = await inflate(motion.blob);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const integers = new Integers(bytes, 8 * motion.frames);
  const reader = new FrameReader(scene, motion);
  const poses = [];
  for (let i = 0; i < motion.frames; i++) poses.push(reader.read(integers, view.getFloat64(8 * i, true)));
  return poses;
}

/** Writes into `out` what is between two poses; quaternions straight between and to unit length. */
function blendPoses(a, b, s, out) {
  out.t = a.t + (b.t - a.t) * s;
  const count = a.present.length;
  for (let i = 0; i < count; i++) {
    // what comes or goes does so at its frame, not half-way
    out.present[i] = a.present[i];
    const share = a.present[i] && b.present[i] ? s : 0;
    for (let k = 3 * i; k < 3 * i + 3; k++) out.places[k] = a.places[k] + (b.places[k] - a.places[k]) * share;
    blendQuats(a.quats, b.quats, 4 * i, share, out.quats);
  }
  out.beamThere = a.beamThere;
  out.modalThere = a.modalThere;
  const both = samePieces(a.beamThere, b.beamThere) ? s : 0;
  for (let o = 0; o < a.sections.length; o += SECTION) {
    for (let k = o; k < o + SECTION; k++) out.sections[k] = a.sections[k] + (b.sections[k] - a.sections[k]) * both;
    blendQuats(a.sections, b.sections, o + 3, both, out.sections);
  }
  const swings = samePieces(a.modalThere, b.modalThere) ? s : 0;
  for (let k = 0; k < a.amplitudes.length; k++) out.amplitudes[k] = a.amplitudes[k] + (b.amplitudes[k] - a.amplitudes[k]) * swings;
  out.closed = a.closed;
  out.pieces = a.pieces;
  if (a.nodes.length === b.nodes.length && samePieces(a.pieces, b.pieces)) {
    if (out.ownNodes === undefined || out.ownNodes.length !== a.nodes.length) out.ownNodes = new Float64Array(a.nodes.length);
    for (let i = 0; i < a.nodes.length; i++) out.ownNodes[i] = a.nodes[i] + (b.nodes[i] - a.nodes[i]) * s;
    out.nodes = out.ownNodes;
  } else {
    out.nodes = a.nodes;
  }
  out.contacts = a.contacts;
  out.contactCount = a.contactCount;
}

/** The quaternion at a place of two lists, straight between them and to unit length. */
function blendQuats(a, b, q, share, out) {
  const dot = a[q] * b[q] + a[q + 1] * b[q + 1] + a[q + 2] * b[q + 2] + a[q + 3] * b[q + 3];
  const other = dot < 0 ? -share : share;
  let norm = 0;
  for (let k = q; k < q + 4; k++) {
    out[k] = a[k] * (1 - share) + b[k] * other;
    norm += out[k] * out[k];
  }
  norm = Math.sqrt(norm) || 1;
  for (let k = q; k < q + 4; k++) out[k] /= norm;
}

function samePieces(a, b) {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Results: times and columns by name. Also grows, for the live view: see `push`. */
class Table {
  constructor(columns) {
    this.columns = columns.filter((column) => column.name !== "t");
    this.units = new Map(columns.map((column) => [column.name, column.unit || ""]));
    this.times = new Float64Array(0);
    this.count = 0;
    this.values = new Map();
    this.addMagnitudes();
  }

  /** `joint.A.force.x`, `.y` (and `.z`) give `joint.A.force`, their magnitude. */
  addMagnitudes() {
    this.magnitudes = new Map();
    const derived = [];
    for (const { name, unit } of this.columns) {
      if (!name.endsWith(".x") || name.startsWith("point.")) continue;
      const stem = name.slice(0, -2);
      const parts = ["x", "y", "z"].map((axis) => `${stem}.${axis}`).filter((part) => this.units.has(part));
      if (parts.length < 2 || this.units.has(stem)) continue;
      this.magnitudes.set(stem, parts);
      this.units.set(stem, unit || "");
      derived.push({ name: stem, unit, before: name });
    }
    for (const { name, unit, before } of derived) {
      const at = this.columns.findIndex((column) => column.name === before);
      this.columns.splice(at, 0, { name, unit });
    }
  }

  unit(name) {
    const unit = this.units.get(name) || "";
    return unit === "1" || unit === "-" ? "" : unit;
  }

  has(name) {
    return this.units.has(name);
  }

  /** The values of a column; nothing where it is not known. */
  column(name) {
    const values = this.values.get(name);
    if (values) return values;
    const parts = this.magnitudes.get(name);
    if (!parts) return null;
    const columns = parts.map((part) => this.values.get(part));
    if (columns.some((column) => !column)) return null;
    const out = new Float32Array(columns[0].length);
    for (let i = 0; i < out.length; i++) out[i] = Math.hypot(...columns.map((column) => column[i]));
    if (!this.growing) this.values.set(name, out);
    return out;
  }

  /** Row at or before an instant, and how far it is to the next. */
  locate(t) {
    return locate(this.times, this.count, t);
  }

  /** A column's value at an instant, between rows; NaN where there is none. */
  value(name, t) {
    const parts = this.values.has(name) ? null : this.magnitudes.get(name);
    if (parts) return Math.hypot(...parts.map((part) => this.value(part, t)));
    const values = this.values.get(name);
    if (!values || this.count === 0) return NaN;
    const { index, share } = this.locate(t);
    const a = values[index];
    if (share === 0) return a;
    const b = values[index + 1];
    return a + (b - a) * share;
  }

  /** Takes a row of the live view: `names` in the order of `values`. Keeps the last 60 s. */
  push(t, names, values) {
    this.growing = true;
    if (this.count > 0 && t < this.times[this.count - 1]) this.count = 0;
    if (this.times.length === 0) this.times = new Float64Array(8192);
    if (this.count === this.times.length) this.drop(this.count >> 2);
    let old = 0;
    while (old < this.count && this.times[old] < t - 60) old++;
    if (old > 1024) this.drop(old);
    this.times[this.count] = t;
    for (const [name, column] of this.values) if (!names.includes(name)) column[this.count] = NaN;
    for (let i = 0; i < names.length; i++) {
      let column = this.values.get(names[i]);
      if (!column) {
        column = new Float32Array(this.times.length).fill(NaN);
        this.values.set(names[i], column);
      }
      column[this.count] = values[i];
    }
    this.count++;
  }

  drop(rows) {
    this.times.copyWithin(0, rows, this.count);
    for (const column of this.values.values()) column.copyWithin(0, rows, this.count);
    this.count -= rows;
  }
}

/** Index of the last of `count` growing times at or before `t`, and the share of the way to the next. */
function locate(times, count, t) {
  let low = 0, high = count - 1;
  if (count === 0 || !(t > times[0])) return { index: 0, share: 0 };
  if (t >= times[high]) return { index: high, share: 0 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  // rows may share a time where something jumps
  const span = times[high] - times[low];
  return { index: low, share: span > 0 ? (t - times[low]) / span : 0 };
}

/** The table of a report; `times` serve where it has no column of its own for them. */
async function decodeTable(table, times) {
  const result = new Table((table && table.columns) || []);
  if (!table || !table.blob || !(table.rows > 0)) return result;
  const bytes = await inflate(table.blob);
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4));
  table.columns.forEach((column, i) => result.values.set(column.name, all.subarray(i * table.rows, (i + 1) * table.rows)));
  const own = result.values.get("t");
  result.times = own ? Float64Array.from(own) : Float64Array.from(times);
  result.count = Math.min(table.rows, result.times.length);
  return result;
}
