// Instances of one shape. Those that sit on bodies are known from the start and follow their bodies; those that stretch (springs, ropes, chains, arrows)
// are pushed anew for every picture.

/** Places are handed to the graphics card relative to this one, which is about the middle of the picture: its numbers have seven digits. */
const ANCHOR = [0, 0, 0];

class Group {
  /** `make` makes the shape, plainer where there are many: 1, and plainest where there are many without a graphics card: 2. */
  constructor(make) {
    this.make = make;
    this.parts = [];
    this.data = new Float32Array(0);
    this.count = 0;
  }

  /** A part that sits on a body: place, quaternion, stretch, thickness, the name of its colour, and the joint it is drawn for. */
  add(part) {
    this.parts.push({ quat: [1, 0, 0, 0], stretch: [1, 1, 1], thick: 0, joint: -1, lift: 0, lit: 1, pick: true, ...part });
  }

  /** What is pushed for every picture may be many. */
  finish(soft) {
    const count = this.parts.length;
    this.mesh = this.make(soft && (count > 30 || count === 0) ? 2 : count > 12 ? 1 : 0, soft);
    this.bodyOf = Int32Array.from(this.parts, (part) => part.body);
    this.jointOf = Int32Array.from(this.parts, (part) => part.joint);
    this.local = new Float32Array(12 * count);
    this.colours = new Float32Array(4 * count);
    this.parts.forEach((part, i) => {
      this.local.set(part.at, 12 * i);
      this.local.set(part.quat, 12 * i + 3);
      this.local.set(part.stretch, 12 * i + 7);
      this.local[12 * i + 10] = part.thick;
      this.local[12 * i + 11] = part.lift;
    });
    this.data = new Float32Array(INSTANCE * Math.max(count, 4));
  }

  colour(look) {
    this.parts.forEach((part, i) => {
      this.colours.set(look.colour(part.colour), 4 * i);
      this.colours[4 * i + 3] = part.lit;
    });
  }

  /** Puts all parts where their bodies are; `layers` lifts the bodies of a plane mechanism one above the other. */
  place(pose, layers, marked) {
    const { data, local, colours, bodyOf, jointOf } = this;
    const { places, quats, present, closed } = pose;
    let count = 0;
    for (let i = 0; i < bodyOf.length; i++) {
      const b = bodyOf[i];
      if (!present[b] || (jointOf[i] >= 0 && !closed[jointOf[i]])) continue;
      const l = 12 * i, o = INSTANCE * count++;
      const w = quats[4 * b], x = quats[4 * b + 1], y = quats[4 * b + 2], z = quats[4 * b + 3];
      const vx = local[l], vy = local[l + 1], vz = local[l + 2];
      const tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz), tz = 2 * (x * vy - y * vx);
      data[o] = places[3 * b] - ANCHOR[0] + vx + w * tx + y * tz - z * ty;
      data[o + 1] = places[3 * b + 1] - ANCHOR[1] + vy + w * ty + z * tx - x * tz;
      data[o + 2] = places[3 * b + 2] - ANCHOR[2] + vz + w * tz + x * ty - y * tx + (layers ? (local[l + 11] || layers[b]) : 0);
      const a = local[l + 3], p = local[l + 4], q = local[l + 5], r = local[l + 6];
      data[o + 3] = w * a - x * p - y * q - z * r;
      data[o + 4] = w * p + x * a + y * r - z * q;
      data[o + 5] = w * q - x * r + y * a + z * p;
      data[o + 6] = w * r + x * q - y * p + z * a;
      data[o + 7] = local[l + 7];
      data[o + 8] = local[l + 8];
      data[o + 9] = local[l + 9];
      data[o + 10] = local[l + 10];
      const bright = b === marked && b > 0 ? 1.25 : 1;
      data[o + 11] = Math.min(1, colours[4 * i] * bright);
      data[o + 12] = Math.min(1, colours[4 * i + 1] * bright);
      data[o + 13] = Math.min(1, colours[4 * i + 2] * bright);
      data[o + 14] = colours[4 * i + 3];
      data[o + 15] = b;
    }
    this.count = count;
  }

  /** Where the next instance is to be written, with room for it. */
  next() {
    if (INSTANCE * (this.count + 1) > this.data.length) {
      const data = new Float32Array(Math.max(64 * INSTANCE, 2 * this.data.length));
      data.set(this.data);
      this.data = data;
    }
    return INSTANCE * this.count++;
  }

  /** An instance from a place along a direction: `sx` wide, `sy` deep and as long as `length`. */
  along(x, y, z, dx, dy, dz, wide, length, thick, colour, lit = 1) {
    const o = this.next(), { data } = this;
    const norm = Math.sqrt(dx * dx + dy * dy + dz * dz) || 1;
    data[o] = x - ANCHOR[0];
    data[o + 1] = y - ANCHOR[1];
    data[o + 2] = z - ANCHOR[2];
    turnOfZ(dx / norm, dy / norm, dz / norm, data, o + 3);
    data[o + 7] = wide;
    data[o + 8] = wide;
    data[o + 9] = length;
    data[o + 10] = thick;
    data[o + 11] = colour[0];
    data[o + 12] = colour[1];
    data[o + 13] = colour[2];
    data[o + 14] = lit;
    data[o + 15] = -1;
  }

  /** A capsule from one place to another. */
  between(ax, ay, az, bx, by, bz, thick, colour, lit = 1) {
    const dx = bx - ax, dy = by - ay, dz = bz - az;
    const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
    if (length > 0) this.along(ax, ay, az, dx, dy, dz, 1, length, thick, colour, lit);
    else this.along(ax, ay, az, 0, 0, 1, 1, 1e-9, thick, colour, lit);
  }
}

/** Lines of constant width on the screen. */
class Lines {
  constructor() {
    this.data = new Float32Array(STRETCH * 256);
    this.count = 0;
  }

  clear() {
    this.count = 0;
  }

  /** `end`: how opaque it is at its far end, where that differs. */
  push(ax, ay, az, bx, by, bz, colour, alpha, width, end = alpha) {
    if (STRETCH * (this.count + 1) > this.data.length) {
      const data = new Float32Array(2 * this.data.length);
      data.set(this.data);
      this.data = data;
    }
    const { data } = this, o = STRETCH * this.count++;
    data[o] = ax - ANCHOR[0];
    data[o + 1] = ay - ANCHOR[1];
    data[o + 2] = az - ANCHOR[2];
    data[o + 3] = bx - ANCHOR[0];
    data[o + 4] = by - ANCHOR[1];
    data[o + 5] = bz - ANCHOR[2];
    data[o + 6] = colour[0];
    data[o + 7] = colour[1];
    data[o + 8] = colour[2];
    data[o + 9] = alpha;
    data[o + 10] = end;
    data[o + 11] = width;
  }
}
