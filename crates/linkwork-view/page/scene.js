// From a scene and a pose to what is drawn: groups of instances and lines.

/** What gets farther away than this many times the size of the mechanism has escaped. */
const ESCAPE = 8;

/** All that is drawn of a scene. */
class Drawing {
  constructor(scene, soft) {
    this.scene = scene;
    this.plane = scene.dimension === 2;
    this.unit = scene.unit > 0 ? scene.unit : 0.02;
    this.groups = [];
    this.byName = new Map();
    this.lines = new Lines();
    this.planeSolids = [];
    this.lineSolids = [];
    this.hatches = [];
    this.boxes = scene.bodies.map(() => null);
    /** Least and greatest way along each joint's axis so far: how long its guide is. */
    this.guides = new Map();
    /** Bodies that have left the others behind: the picture is not drawn back for them. */
    this.escaped = new Uint8Array(scene.bodies.length);
    this.firstPlaces = scene.bodies.map(() => null);
    this.springLengths = new Float64Array(scene.springs.length).fill(NaN);
    this.contactForce = 0;
    scene.bodies.forEach((body, b) => {
      const own = b === 0 ? "body:0" : body.paint || `body:${body.colour}`;
      body.solids.forEach((solid) => this.addSolid(b, solid, own));
      (body.looks || []).forEach((look) => this.addSolid(b, look.solid, look.paint || own));
    });
    this.stackLayers();
    scene.joints.forEach((joint, j) => addJoint(this, joint, j));
    if (this.plane) for (const at of scene.supports || []) addSupport(this, at);
    this.addPulleys();
    this.deformables = new Deformables(scene, soft);
    for (const skin of this.deformables.skins) for (const corner of skin.body.vertices) this.grow(skin.body.body, corner, 0);
    for (const name of ["capsule", "thread", "ball", "pin", "coil", "cone", "over thread", "over cone"]) this.group(name);
    for (const group of this.groups) group.finish(soft);
  }

  /** The group of a shape that many share. */
  group(name, make = SHAPES[name]) {
    let group = this.byName.get(name);
    if (!group) {
      group = new Group(make);
      group.over = name.startsWith("over ");
      this.byName.set(name, group);
      this.groups.push(group);
    }
    return group;
  }

  addSolid(body, solid, colour) {
    const reach = (at, radius) => this.grow(body, at, radius);
    switch (solid.form) {
      case "bar": {
        const [a, b] = solid.ends;
        const way = subtract(b, a), length = lengthOf(way);
        reach(a, solid.radius);
        reach(b, solid.radius);
        this.group("capsule").add({ body, at: a, quat: turnOfZ(...unitVector(way), []), stretch: [1, 1, Math.max(length, 1e-9)], thick: solid.radius, colour });
        break;
      }
      case "ball": {
        reach(solid.at, solid.radius);
        const stretch = [solid.radius, solid.radius, solid.radius];
        this.group("ball").add({ body, at: solid.at, stretch, colour });
        if (solid.radius > 1.5 * this.unit) this.group("seam").add({ body, at: solid.at, stretch, colour });
        break;
      }
      case "box": {
        reach(solid.at, lengthOf(solid.half) * (this.plane ? 0.8 : 0.9));
        this.group("box").add({ body, at: solid.at, quat: quatFromAxes(...solid.axes), stretch: solid.half, colour });
        break;
      }
      case "cylinder": {
        const { at, axis, radius, half } = solid;
        const bore = radius > 0 ? Math.min(0.98, Math.max(0, (solid.bore || 0) / radius)) : 0;
        this.reachOfDisc(body, at, axis, radius, half);
        const group = bore > 0 ? this.group(`ring ${bore.toFixed(3)}`, () => ringMesh(bore)) : this.group("cylinder");
        group.add({ body, at, quat: turnOfZ(...unitVector(axis), []), stretch: [radius, radius, half], colour });
        break;
      }
      case "tyre": {
        const { at, axis, radius, width } = solid;
        this.reachOfDisc(body, at, axis, radius, width / 2);
        const quat = turnOfZ(...unitVector(axis), []), stretch = [radius, radius, width / 2];
        this.group("tyre").add({ body, at, quat, stretch, colour: "rubber" });
        this.group("rim").add({ body, at, quat, stretch, colour });
        break;
      }
      case "mesh": {
        for (const corner of solid.vertices) reach(corner, 0);
        const key = `mesh ${JSON.stringify([solid.vertices, solid.triangles])}`;
        this.group(key, () => facesMesh(solid)).add({ body, at: [0, 0, 0], colour });
        break;
      }
      case "surface": {
        const { places } = solid.unpacked;
        for (let i = 0; i < places.length; i += 3) reach([places[i], places[i + 1], places[i + 2]], 0);
        const group = new Group(() => surfaceMesh(solid.unpacked));
        this.groups.push(group);
        group.add({ body, at: [0, 0, 0], colour });
        break;
      }
      case "plane":
        this.planeSolids.push({ body, at: solid.at, normal: unitVector(solid.normal, this.scene.up) });
        break;
      case "line":
        if (body > 0) for (const place of solid.through) reach(place, 0);
        this.lineSolids.push({ body, through: solid.through, colour });
        break;
      default:
        console.warn(`a solid of an unknown form is not drawn: ${solid.form}`);
    }
  }

  grow(body, at, radius) {
    const box = this.boxes[body] || (this.boxes[body] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]]);
    for (let k = 0; k < 3; k++) {
      box[0][k] = Math.min(box[0][k], at[k] - radius);
      box[1][k] = Math.max(box[1][k], at[k] + radius);
    }
  }

  reachOfDisc(body, at, axis, radius, half) {
    for (const side of [-half, half]) {
      const end = add(at, scaled(axis, side));
      const across = [0, 1, 2].map((k) => radius * Math.sqrt(Math.max(0, 1 - axis[k] * axis[k])));
      this.grow(body, add(end, across), 0);
      this.grow(body, subtract(end, across), 0);
    }
  }

  /** Bodies of a plane mechanism are drawn one above the other, the largest lowest, so that they do not run into each other. */
  stackLayers() {
    this.layers = null;
    this.top = 0;
    if (!this.plane) return;
    const size = (box) => (box ? (box[1][0] - box[0][0]) * (box[1][1] - box[0][1]) : 0);
    const order = this.scene.bodies.map((_, b) => b).sort((a, b) => (b === 0) - (a === 0) || size(this.boxes[b]) - size(this.boxes[a]));
    this.layers = new Float32Array(order.length);
    let z = 0;
    for (const b of order) {
      const box = this.boxes[b];
      const [low, high] = box ? [box[0][2], box[1][2]] : [0, 0];
      this.layers[b] = z - low;
      z += high - low + 0.1 * this.unit;
    }
    this.top = z + 2 * this.unit;
    this.height = this.top + 20 * this.unit;
  }

  addPulleys() {
    const { unit } = this;
    for (const cable of this.scene.cables) {
      cable.through.forEach((spot, i) => {
        const radius = Math.abs(cable.radii[i] || 0);
        if (!(radius > 0)) return;
        this.grow(spot.body, spot.at, radius);
        this.group("ring 0.850", () => ringMesh(0.85)).add({
          body: spot.body, at: spot.at, quat: turnOfZ(...unitVector(cable.axis), []), stretch: [radius, radius, 0.5 * unit], colour: "steel", lift: this.top,
        });
      });
    }
  }

  /** Colours of the theme. */
  colour(look) {
    this.look = look;
    for (const group of this.groups) group.colour(look);
  }

  /** Where a spot is. */
  spot(pose, spot, out = []) {
    const b = spot.body, q = pose.quats, p = pose.places, [vx, vy, vz] = spot.at;
    const w = q[4 * b], x = q[4 * b + 1], y = q[4 * b + 2], z = q[4 * b + 3];
    const tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz), tz = 2 * (x * vy - y * vx);
    out[0] = p[3 * b] + vx + w * tx + y * tz - z * ty;
    out[1] = p[3 * b + 1] + vy + w * ty + z * tx - x * tz;
    out[2] = p[3 * b + 2] + vz + w * tz + x * ty - y * tx;
    return out;
  }

  /** A body's quaternion. */
  attitude(pose, body) {
    return pose.quats.subarray(4 * body, 4 * body + 4);
  }

  /** Takes note of bodies that get farther away than the rest of a mechanism of this size goes; where all do, none escapes: the picture goes along then. */
  watchEscapes(pose, size) {
    const { places, present } = pose;
    let changed = false;
    for (let b = 1; b < this.escaped.length; b++) {
      if (!present[b] || this.escaped[b]) continue;
      const at = places.subarray(3 * b, 3 * b + 3);
      const first = (this.firstPlaces[b] ||= Array.from(at));
      if (!(Math.hypot(at[0] - first[0], at[1] - first[1], at[2] - first[2]) > ESCAPE * size)) continue;
      this.escaped[b] = changed = 1;
    }
    return changed;
  }

  /** Whether a body has left others behind. */
  isGone(body) {
    if (!this.escaped[body]) return false;
    return this.scene.bodies.some((other, b) => b > 0 && !other.auxiliary && !this.escaped[b] && (other.solids.length > 0 || other.looks?.length > 0));
  }

  /** Lowest and highest coordinates of what moves in `pose`, and of the ground unless it goes on far beyond. */
  boundsOf(poses) {
    const bounds = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const pose of poses) this.bounds(pose, bounds);
    const ground = this.boxes[0];
    if (!ground) return bounds;
    const size = (box) => lengthOf(subtract(box[1], box[0]));
    // a road of a hundred metres under a car tells nothing of where to look
    if (bounds[0][0] <= bounds[1][0] && size(ground) > 3 * size(bounds)) return bounds;
    for (let k = 0; k < 3; k++) {
      bounds[0][k] = Math.min(bounds[0][k], ground[0][k]);
      bounds[1][k] = Math.max(bounds[1][k], ground[1][k]);
    }
    return bounds;
  }

  /** Lowest and highest coordinates of what moves in `pose`, grown from `bounds`. */
  bounds(pose, bounds) {
    const gone = this.scene.bodies.map((_, b) => this.isGone(b));
    const there = (spot) => pose.present[spot.body] && !gone[spot.body];
    const take = (x, y, z) => {
      if (!Number.isFinite(x + y + z)) return;
      bounds[0][0] = Math.min(bounds[0][0], x);
      bounds[0][1] = Math.min(bounds[0][1], y);
      bounds[0][2] = Math.min(bounds[0][2], z);
      bounds[1][0] = Math.max(bounds[1][0], x);
      bounds[1][1] = Math.max(bounds[1][1], y);
      bounds[1][2] = Math.max(bounds[1][2], z);
    };
    const out = [0, 0, 0];
    const spot = { body: 0, at: [0, 0, 0] };
    this.boxes.forEach((box, body) => {
      if (body === 0 || !pose.present[body] || gone[body]) return;
      if (!box) {
        take(pose.places[3 * body], pose.places[3 * body + 1], pose.places[3 * body + 2]);
        return;
      }
      spot.body = body;
      for (let corner = 0; corner < 8; corner++) {
        for (let k = 0; k < 3; k++) spot.at[k] = box[(corner >> k) & 1][k];
        this.spot(pose, spot, out);
        take(out[0], out[1], out[2]);
      }
    });
    for (const joint of this.scene.joints) for (const s of joint.spots) if (there(s)) take(...this.spot(pose, s, out));
    for (let i = 0; i + 2 < pose.nodes.length; i += 3) take(pose.nodes[i], pose.nodes[i + 1], pose.nodes[i + 2]);
    this.deformables.reach(pose, take);
    for (const spring of this.scene.springs) for (const s of spring.ends) if (there(s)) take(...this.spot(pose, s, out));
    for (const cable of this.scene.cables) for (const s of cable.through) if (there(s)) take(...this.spot(pose, s, out));
    return bounds;
  }

  /** Takes note of how far guides reach and how hard contacts push at an instant. */
  survey(pose) {
    const { scene } = this;
    scene.joints.forEach((joint, j) => {
      if (!GUIDED.has(joint.symbol) || !joint.axis || !pose.present[joint.spots[0].body] || !pose.present[joint.spots[1].body]) return;
      const way = this.wayAlong(pose, joint);
      if (!Number.isFinite(way)) return;
      const guide = this.guides.get(j);
      if (!guide) this.guides.set(j, [way, way]);
      else {
        guide[0] = Math.min(guide[0], way);
        guide[1] = Math.max(guide[1], way);
      }
    });
    scene.springs.forEach((spring, i) => {
      if (!Number.isFinite(this.springLengths[i])) {
        const length = lengthOf(subtract(this.spot(pose, spring.ends[1]), this.spot(pose, spring.ends[0])));
        if (length > 0) this.springLengths[i] = length;
      }
    });
    for (let i = 0; i < pose.contactCount; i++) {
      const f = Math.hypot(pose.contacts[6 * i + 3], pose.contacts[6 * i + 4], pose.contacts[6 * i + 5]);
      if (f > this.contactForce && Number.isFinite(f)) this.contactForce = f;
    }
  }

  wayAlong(pose, joint) {
    const a = this.spot(pose, joint.spots[0]), b = this.spot(pose, joint.spots[1]);
    return dot(subtract(b, a), turned(this.attitude(pose, joint.spots[0].body), joint.axis));
  }

  /** Everything at an instant. `shown`: what is on (contacts, arrows, traces, …). */
  update(pose, camera, shown) {
    camera.anchor.forEach((x, k) => (ANCHOR[k] = x));
    for (const group of this.groups) group.place(pose, this.layers, shown.marked);
    this.lines.clear();
    for (const solid of this.planeSolids) drawPlane(this, pose, camera, solid, shown);
    if (this.planeSolids.length === 0 && !this.plane) drawFloor(this, camera, shown);
    for (const solid of this.lineSolids) this.drawLine(pose, solid);
    if (this.plane) drawHatches(this, camera);
    drawGuides(this, pose);
    this.scene.springs.forEach((spring, i) => drawSpring(this, pose, spring, this.springLengths[i]));
    for (const cable of this.scene.cables) drawCable(this, pose, cable);
    drawChains(this, pose, camera);
    this.deformables.update(pose, this.look, shown, this.plane ? this.top + this.unit : 0);
    if (shown.contacts) drawContacts(this, pose, shown);
    drawArrows(this, pose, shown);
    drawTraces(this, pose, shown);
    if (shown.hand) {
      const [a, b] = shown.hand;
      const colour = this.look.colour("hand");
      this.lines.push(...this.lifted(a), ...this.lifted(b), colour, 1, 3);
      for (const end of [a, b]) this.group("ball").along(...this.lifted(end), 0, 0, 1, 0.8 * this.unit, 0.8 * this.unit, 0, colour, 0.5);
    }
  }

  lifted(p) {
    return this.plane ? [p[0], p[1], this.top + 10 * this.unit] : p;
  }

  drawLine(pose, { body, through, colour }) {
    if (!pose.present[body]) return;
    const rgb = this.look.colour(body === 0 ? "guide" : colour);
    const spot = { body, at: null };
    const a = [0, 0, 0], b = [0, 0, 0];
    const z = this.plane ? this.layers[body] : 0;
    for (let i = 0; i + 1 < through.length; i++) {
      spot.at = through[i];
      this.spot(pose, spot, a);
      spot.at = through[i + 1];
      this.spot(pose, spot, b);
      this.lines.push(a[0], a[1], a[2] + z, b[0], b[1], b[2] + z, rgb, 1, 2.5);
    }
  }

  /** The body first met by a ray, and where. Only what sits on bodies can be met. */
  pick(ray) {
    let best = null;
    const near = { origin: subtract(ray.origin, ANCHOR), direction: ray.direction };
    for (const group of this.groups) {
      for (let i = 0; i < group.count; i++) {
        const body = group.data[INSTANCE * i + 15];
        if (!(body > 0)) continue;
        const way = meetInstance(group.mesh, group.data, INSTANCE * i, near);
        if (way !== null && (!best || way < best.way)) best = { body, way };
      }
    }
    if (best) best.at = add(ray.origin, scaled(ray.direction, best.way));
    if (best && this.plane) best.at[2] = 0;
    return best;
  }
}

/** Shapes that many share. */
const SHAPES = {
  capsule: (many) => capsuleMesh(...[[16, 4], [10, 2], [5, 1]][many]),
  thread: (many) => capsuleMesh(many > 1 ? 5 : 7, 1),
  ball: (many) => ballMesh(...[[24, 14], [16, 9], [8, 5]][many]),
  seam: () => seamMesh(),
  box: () => boxMesh(),
  cylinder: (many) => cylinderMesh([56, 28, 16][many]),
  pin: (many) => cylinderMesh(many > 1 ? 6 : 20),
  coil: (_, soft) => (soft ? coilMesh(8, 8, 4) : coilMesh()),
  cone: () => coneMesh(),
  "over thread": () => capsuleMesh(7, 1),
  "over cone": () => coneMesh(),
  tyre: (_, soft) => tyreMesh(soft ? 20 : undefined),
  rim: (_, soft) => rimMesh(soft ? 20 : undefined),
  support: () => supportMesh(),
};

/** How far along a ray an instance is met; nothing where it is missed. */
function meetInstance(mesh, data, o, ray) {
  const back = [data[o + 3], -data[o + 4], -data[o + 5], -data[o + 6]];
  const from = turned(back, subtract(ray.origin, [data[o], data[o + 1], data[o + 2]]));
  const way = turned(back, ray.direction);
  if (mesh.form === "capsule") return meetCapsule(from, way, data[o + 9], data[o + 10]);
  const p = [0, 1, 2].map((k) => from[k] / (data[o + 7 + k] || 1e-9));
  const d = [0, 1, 2].map((k) => way[k] / (data[o + 7 + k] || 1e-9));
  let best = null;
  const { positions, triangles } = mesh;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [triangles[i], triangles[i + 1], triangles[i + 2]].map((v) => positions.slice(3 * v, 3 * v + 3));
    const e1 = subtract(b, a), e2 = subtract(c, a), h = cross(d, e2), det = dot(e1, h);
    if (Math.abs(det) < 1e-15) continue;
    const s = subtract(p, a), u = dot(s, h) / det;
    if (u < 0 || u > 1) continue;
    const q = cross(s, e1), v = dot(d, q) / det;
    if (v < 0 || u + v > 1) continue;
    const t = dot(e2, q) / det;
    if (t > 0 && (best === null || t < best)) best = t;
  }
  return best;
}

/** A ray and a capsule along z, by the nearest places of the two lines. */
function meetCapsule(p, d, length, radius) {
  const across = d[0] * d[0] + d[1] * d[1];
  let z = across > 1e-12 ? p[2] - (d[2] * (p[0] * d[0] + p[1] * d[1])) / across : 0;
  z = Math.min(length, Math.max(0, z));
  const m = [p[0], p[1], p[2] - z];
  const t = -dot(m, d);
  const miss = lengthOf(add(m, scaled(d, t)));
  if (miss > radius || t <= 0) return null;
  return t - Math.sqrt(radius * radius - miss * miss);
}
