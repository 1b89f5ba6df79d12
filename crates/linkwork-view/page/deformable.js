// Bodies that deform: beams as outlines swept along their sections, modal bodies as surfaces that move with the amplitudes of their modes. Their corners are placed here, for
// every picture: both renderers draw them as faces. Equations and lists as in crates/linkwork-scene/src/scene/deformable.rs.

/** What colours can show of beams. */
const BEAM_FIELDS = [
  { "key": "curvature", "name": "change of curvature", "unit": "1/m", "signed": false },
  { "key": "moment", "name": "bending moment", "unit": "N m", "signed": false },
  { "key": "axial-force", "name": "axial force", "unit": "N", "signed": true },
  { "key": "shear-force", "name": "shear force", "unit": "N", "signed": false },
  { "key": "torsion", "name": "torsion", "unit": "N m", "signed": true }
];

/** What colours can show of modal bodies. */
const MODAL_FIELDS = [
  { "key": "displacement", "name": "elastic displacement", "unit": "m", "signed": false },
  { "key": "stress", "name": "von Mises stress", "unit": "Pa", "signed": false }
];

/** Colours of a scale, from its lowest value to its highest. */
const SCALES = {
  "signed": ["#2166ac", "#67a9cf", "#d9dde0", "#ef8a62", "#b2182b"],
  "unsigned": ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"]
};

/** Numbers of a section in a pose: place 3, quaternion 4, values. */
const SECTION = 7 + BEAM_FIELDS.length;

/** How strongly light shades what has colours of a scale: less than others, so that they are those of the legend. */
const SCALE_LIT = 0.55;

/** A field with the range of its values, and its colours. */
class Shade {
  constructor(field) {
    this.field = field;
    this.colours = SCALES[field.signed ? "signed" : "unsigned"].map(rgbOf);
    this.largest = 0;
  }

  /** Takes note of a value. */
  survey(value) {
    const size = Math.abs(value);
    if (size > this.largest && Number.isFinite(size)) this.largest = size;
  }

  get range() {
    const most = this.largest > 0 ? this.largest : 1;
    return [this.field.signed ? -most : 0, most];
  }

  /** Writes the colour of a value. */
  write(value, out, at) {
    const [low, high] = this.range;
    const part = Number.isFinite(value) ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0;
    const along = part * (this.colours.length - 1);
    const k = Math.min(this.colours.length - 2, Math.floor(along));
    const [a, b] = [this.colours[k], this.colours[k + 1]];
    for (let c = 0; c < 3; c++) out[at + c] = a[c] + (along - k) * (b[c] - a[c]);
  }
}

/** Faces whose corners are placed for every picture. */
class SoftMesh {
  constructor(corners, triangles, edges) {
    this.positions = new Float32Array(3 * corners);
    this.normals = new Float32Array(3 * corners);
    /** Red, green, blue, and how strongly light shades it. */
    this.colours = new Float32Array(4 * corners).fill(1);
    this.triangles = Uint32Array.from(triangles);
    this.edges = Uint32Array.from(edges);
    this.shown = false;
  }

  get count() {
    return this.positions.length / 3;
  }

  paint(rgb) {
    const { colours } = this;
    for (let i = 0; i < colours.length; i += 4) {
      colours[i] = rgb[0];
      colours[i + 1] = rgb[1];
      colours[i + 2] = rgb[2];
      colours[i + 3] = 1;
    }
  }
}

/** A beam: an outline swept along its sections. */
class Sweep extends SoftMesh {
  /** `first`: where its sections begin in a pose. */
  constructor(beam, index, first, soft) {
    const outline = outlineOf(beam, soft);
    const rings = ringsOf(beam, soft);
    const count = rings.length, around = outline.points.length;
    const triangles = [], edges = [];
    for (let r = 0; r + 1 < count; r++) {
      for (const [i, j] of outline.sides) {
        const a = r * around + i, b = r * around + j;
        triangles.push(a, b, a + around, b, b + around, a + around);
      }
      for (const i of outline.corners) edges.push(r * around + i, (r + 1) * around + i);
    }
    // both ends are closed by faces of their own
    for (const [end, ring] of [[0, 0], [1, count - 1]]) {
      const cap = (count + end) * around;
      for (let k = 1; k + 1 < around; k++) {
        if (end === 0) triangles.push(cap, cap + k + 1, cap + k);
        else triangles.push(cap, cap + k, cap + k + 1);
      }
      for (const [i, j] of outline.sides) edges.push(ring * around + i, ring * around + j);
    }
    super((count + 2) * around, triangles, edges);
    Object.assign(this, { beam, index, first, outline, rings });
  }

  /** Puts it where its sections are. `z`: lifted by so much; `shade`: what colours show, and which of the values; else `rgb`. */
  place(pose, z, shade, value, rgb) {
    this.shown = pose.beamThere[this.index] === 1;
    if (!this.shown) return;
    const { positions, normals, colours, outline, rings, beam } = this;
    const { sections } = pose;
    const around = outline.points.length;
    if (!shade) this.paint(rgb);
    const at = [0, 0, 0], y = [0, 0, 0], w = [0, 0, 0], colour = [0, 0, 0];
    const corner = (o, ring, k, normal) => {
      const [py, pz, ny, nz] = outline.points[k];
      for (let c = 0; c < 3; c++) {
        positions[3 * o + c] = at[c] - ANCHOR[c] + py * ring.half[0] * y[c] + pz * ring.half[1] * w[c] + (c === 2 ? z : 0);
        normals[3 * o + c] = normal ? normal[c] : ny * y[c] + nz * w[c];
      }
      if (shade) {
        colours.set(colour, 4 * o);
        colours[4 * o + 3] = SCALE_LIT;
      }
    };
    rings.forEach((ring, r) => {
      at.fill(0);
      y.fill(0);
      w.fill(0);
      for (const [section, weight] of ring.weights) {
        const o = (this.first + section) * SECTION;
        const qw = sections[o + 3], qx = sections[o + 4], qy = sections[o + 5], qz = sections[o + 6];
        for (let c = 0; c < 3; c++) at[c] += weight * sections[o + c];
        // axes 2 and 3: the second and third column of the rotation
        y[0] += weight * 2 * (qx * qy - qw * qz);
        y[1] += weight * (1 - 2 * (qx * qx + qz * qz));
        y[2] += weight * 2 * (qy * qz + qw * qx);
        w[0] += weight * 2 * (qx * qz + qw * qy);
        w[1] += weight * 2 * (qy * qz - qw * qx);
        w[2] += weight * (1 - 2 * (qx * qx + qy * qy));
      }
      if (shade) {
        const o = (this.first + ring.before) * SECTION + 7 + value;
        shade.write(sections[o] + ring.share * (sections[o + SECTION] - sections[o]), colour, 0);
      }
      for (let k = 0; k < around; k++) corner(r * around + k, ring, k, null);
      if (r === 0 || r === rings.length - 1) {
        const end = r === 0 ? 0 : 1;
        const along = scaled(cross(y, w), end ? 1 : -1);
        for (let k = 0; k < around; k++) corner((rings.length + end) * around + k, ring, k, along);
      }
    });
    return beam;
  }
}

/** Points on an outline by their parts of its half sizes, each with the direction out of it; which of them are sides, and which corners. */
function outlineOf(beam, soft) {
  if (beam.round) {
    const n = soft ? 7 : 12;
    const points = Array.from({ length: n }, (_, k) => [Math.cos((2 * Math.PI * k) / n), Math.sin((2 * Math.PI * k) / n)]).map(([c, s]) => [c, s, c, s]);
    return { points, sides: points.map((_, k) => [k, (k + 1) % n]), corners: [] };
  }
  const corners = [[1, -1], [1, 1], [-1, 1], [-1, -1]], out = [[1, 0], [0, 1], [-1, 0], [0, -1]];
  const points = [0, 1, 2, 3].flatMap((k) => [[...corners[k], ...out[k]], [...corners[(k + 1) % 4], ...out[k]]]);
  return { points, sides: [[0, 1], [2, 3], [4, 5], [6, 7]], corners: [0, 2, 4, 6] };
}

/** Where outlines stand along a beam: weights of its sections, half sizes, and between which sections its value is. */
function ringsOf(beam, soft) {
  const { pieces, half } = beam;
  const cuts = soft ? Math.max(1, Math.round(beam.rings / 2)) : beam.rings;
  const rings = [];
  for (let e = 0; e * pieces + pieces < half.length; e++) {
    for (let k = e > 0 ? 1 : 0; k <= cuts * pieces; k++) {
      const x = (2 * k) / (cuts * pieces) - 1;
      const n = pieces === 1 ? [(1 - x) / 2, (1 + x) / 2] : [(x * (x - 1)) / 2, 1 - x * x, (x * (x + 1)) / 2];
      const weights = n.map((weight, a) => [e * pieces + a, weight]).filter(([, weight]) => weight !== 0);
      const size = [0, 1].map((c) => weights.reduce((sum, [a, weight]) => sum + weight * half[a][c], 0));
      // straight from section to section: a parabola would overshoot
      const step = Math.min(pieces - 1, Math.floor(k / cuts));
      rings.push({ weights, half: size, before: e * pieces + step, share: k / cuts - step });
    }
  }
  return rings;
}

/** The surface of a modal body. */
class Skin extends SoftMesh {
  /** `first`: where its amplitudes begin in a pose. */
  constructor(body, index, first) {
    super(body.vertices.length, body.triangles.flat(), body.edges.flat());
    Object.assign(this, { body, index, first });
    /** Places in the axes of the frame. */
    this.own = new Float32Array(3 * body.vertices.length);
  }

  /** Displacement or stress at all corners, written into `out`: `width` numbers for each. */
  static sum(numbers, modes, width, corners, pose, first, factor, out) {
    out.fill(0);
    const count = width * corners;
    for (let j = 0; j < modes; j++) {
      const amplitude = pose.amplitudes[first + j] * factor;
      if (amplitude === 0) continue;
      const at = j * count;
      for (let i = 0; i < count; i++) out[i] += amplitude * numbers[at + i];
    }
    return out;
  }

  /** The values of a field at all corners. */
  values(pose, value) {
    const { body, first } = this;
    const corners = body.vertices.length;
    if (!this.computed) this.computed = new Float32Array(corners);
    const width = value === 0 ? 3 : 6;
    const numbers = value === 0 ? body.numbers.displacements : body.numbers.stresses;
    const scratch = (this.scratch ||= [new Float32Array(3 * corners), new Float32Array(6 * corners)])[value];
    Skin.sum(numbers, body.modes, width, corners, pose, first, 1, scratch);
    for (let k = 0; k < corners; k++) {
      const o = width * k;
      if (value === 0) this.computed[k] = Math.hypot(scratch[o], scratch[o + 1], scratch[o + 2]);
      else {
        const [xx, yy, zz, xy, xz, yz] = scratch.subarray(o, o + 6);
        this.computed[k] = Math.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * (xy * xy + xz * xz + yz * yz));
      }
    }
    return this.computed;
  }

  /** Puts it where its frame is, displacements enlarged by `factor`. */
  place(pose, factor, shade, value, rgb) {
    const { body, own, positions, normals, colours, triangles } = this;
    this.shown = pose.modalThere[this.index] === 1 && pose.present[body.body] === 1 && body.numbers !== undefined;
    if (!this.shown) return;
    const corners = body.vertices.length;
    Skin.sum(body.numbers.displacements, body.modes, 3, corners, pose, this.first, factor, own);
    const b = body.body;
    const q = pose.quats.subarray(4 * b, 4 * b + 4), c = pose.places.subarray(3 * b, 3 * b + 3);
    for (let k = 0; k < corners; k++) {
      const v = body.vertices[k], o = 3 * k;
      const x = v[0] + own[o], y = v[1] + own[o + 1], z = v[2] + own[o + 2];
      const tx = 2 * (q[2] * z - q[3] * y), ty = 2 * (q[3] * x - q[1] * z), tz = 2 * (q[1] * y - q[2] * x);
      positions[o] = c[0] - ANCHOR[0] + x + q[0] * tx + q[2] * tz - q[3] * ty;
      positions[o + 1] = c[1] - ANCHOR[1] + y + q[0] * ty + q[3] * tx - q[1] * tz;
      positions[o + 2] = c[2] - ANCHOR[2] + z + q[0] * tz + q[1] * ty - q[2] * tx;
    }
    normals.fill(0);
    for (let i = 0; i < triangles.length; i += 3) {
      const [p, r, s] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
      const ux = positions[r] - positions[p], uy = positions[r + 1] - positions[p + 1], uz = positions[r + 2] - positions[p + 2];
      const vx = positions[s] - positions[p], vy = positions[s + 1] - positions[p + 1], vz = positions[s + 2] - positions[p + 2];
      const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
      for (const corner of [p, r, s]) for (let k = 0; k < 3; k++) normals[corner + k] += n[k];
    }
    if (!shade) return this.paint(rgb);
    const values = this.values(pose, value);
    for (let k = 0; k < corners; k++) {
      shade.write(values[k], colours, 4 * k);
      colours[4 * k + 3] = SCALE_LIT;
    }
  }
}

/** Unpacks the numbers of surfaces: whole ones of 16 bits in a unit for each mode. */
async function unpackSurfaces(scene) {
  for (const body of scene.modal_bodies || []) {
    if (body.numbers) continue;
    const unpack = async (packed, width) => {
      if (!packed) return null;
      const bytes = await inflate(packed.blob);
      const whole = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const each = width * body.vertices.length;
      return Float32Array.from({ length: body.modes * each }, (_, i) => whole.getInt16(2 * i, true) * packed.quanta[Math.floor(i / each)]);
    };
    body.numbers = { displacements: await unpack(body.displacements, 3), stresses: await unpack(body.stresses, 6) };
  }
}

/** All that deforms in a scene, and what its colours show. */
class Deformables {
  constructor(scene, soft) {
    let first = 0;
    this.sweeps = (scene.beams || []).map((beam, index) => {
      const sweep = new Sweep(beam, index, first, soft);
      first += beam.half.length;
      return sweep;
    });
    first = 0;
    this.skins = (scene.modal_bodies || []).map((body, index) => {
      const skin = new Skin(body, index, first);
      first += body.modes;
      return skin;
    });
    this.scene = scene;
    this.shades = { beams: BEAM_FIELDS.map((field) => new Shade(field)), bodies: MODAL_FIELDS.map((field) => new Shade(field)) };
    this.plane = scene.dimension === 2;
  }

  get meshes() {
    return [...this.sweeps, ...this.skins].filter((mesh) => mesh.shown);
  }

  /** The fields that can be shown: in the plane nothing is twisted, and stresses may not be known. */
  fields(kind) {
    if (kind === "beams") return this.sweeps.length ? BEAM_FIELDS.filter((field) => !this.plane || field.key !== "torsion") : [];
    const stressed = this.skins.some((skin) => skin.body.stresses);
    return this.skins.length ? MODAL_FIELDS.filter((field) => stressed || field.key !== "stress") : [];
  }

  /** What is shown of a kind, by the key of a field; nothing where bodies have their own colours. */
  shade(kind, key) {
    return this.shades[kind].find((shade) => shade.field.key === key) || null;
  }

  /** Takes note of the values at an instant. */
  survey(pose) {
    const { beams, bodies } = this.shades;
    for (const { index, first, beam } of this.sweeps) {
      if (!pose.beamThere[index]) continue;
      for (let k = 0; k < beam.half.length; k++) for (let i = 0; i < beams.length; i++) beams[i].survey(pose.sections[(first + k) * SECTION + 7 + i]);
    }
    for (const skin of this.skins) {
      if (!pose.modalThere[skin.index] || !skin.body.numbers) continue;
      bodies.forEach((shade, value) => {
        if (value === 1 && !skin.body.numbers.stresses) return;
        for (const x of skin.values(pose, value)) shade.survey(x);
      });
    }
  }

  /** Puts everything where it is. */
  update(pose, look, shown, z) {
    for (const sweep of this.sweeps) {
      const shade = this.shade("beams", shown.shades.beams);
      sweep.place(pose, z, shade, shade ? this.shades.beams.indexOf(shade) : 0, look.colour(`body:${sweep.beam.colour || 1}`));
    }
    for (const skin of this.skins) {
      let shade = this.shade("bodies", shown.shades.bodies);
      if (shade && shade.field.key === "stress" && !skin.body.stresses) shade = null;
      const body = this.scene.bodies[skin.body.body];
      skin.place(pose, shown.enlarged, shade, shade ? this.shades.bodies.indexOf(shade) : 0, look.colour(body.paint || `body:${body.colour}`));
    }
  }

  /** Calls `take` with places that things reach. */
  reach(pose, take) {
    for (const { index, first, beam } of this.sweeps) {
      if (!pose.beamThere[index]) continue;
      for (let k = 0; k < beam.half.length; k++) {
        const o = (first + k) * SECTION, r = Math.max(...beam.half[k]);
        for (const side of [-r, r]) take(pose.sections[o] + side, pose.sections[o + 1] + side, pose.sections[o + 2] + (this.plane ? 0 : side));
      }
    }
  }
}
