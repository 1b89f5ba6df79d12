// Shapes that are drawn many times. A corner has a position, which an instance stretches, and an offset, which it only thickens: so a capsule keeps
// round ends and a coil keeps its wire however far both are stretched.

/** Corners, triangles and edges of a shape. */
class Mesh {
  constructor() {
    this.positions = [];
    this.offsets = [];
    this.normals = [];
    this.triangles = [];
    this.edges = [];
    /** `capsule` and `ball` are drawn by the painter as strokes and discs. */
    this.form = "";
  }

  corner(position, normal, offset = [0, 0, 0]) {
    this.positions.push(...position);
    this.normals.push(...normal);
    this.offsets.push(...offset);
    return this.positions.length / 3 - 1;
  }

  get count() {
    return this.positions.length / 3;
  }
}

/** A box from −1 to 1. */
function boxMesh() {
  const mesh = new Mesh();
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const normal = [0, 0, 0];
      normal[axis] = side;
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      const first = mesh.count;
      for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const position = [0, 0, 0];
        position[axis] = side;
        position[u] = a;
        position[v] = b;
        mesh.corner(position, normal);
      }
      if (side > 0) mesh.triangles.push(first, first + 1, first + 2, first, first + 2, first + 3);
      else mesh.triangles.push(first, first + 2, first + 1, first, first + 3, first + 2);
      if (axis < 2) mesh.edges.push(first, first + 1, first + 1, first + 2, first + 2, first + 3, first + 3, first);
    }
  }
  return mesh;
}

/** A profile [r, z], …, going up on the outside, turned about z. Every stretch of it has its own normals unless it is `smooth`. */
function turnedMesh(profile, sides, { smooth = false, rims = [], spoke = null } = {}) {
  const mesh = new Mesh();
  const normalOf = (i) => {
    const [a, b] = [profile[i], profile[i + 1]];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    return [(b[1] - a[1]) / length, -(b[0] - a[0]) / length];
  };
  const ring = (point, normal) => {
    const first = mesh.count;
    for (let k = 0; k <= sides; k++) {
      const c = Math.cos((2 * Math.PI * k) / sides), s = Math.sin((2 * Math.PI * k) / sides);
      mesh.corner([point[0] * c, point[0] * s, point[1]], [normal[0] * c, normal[0] * s, normal[1]]);
    }
    return first;
  };
  let last = null;
  for (let i = 0; i + 1 < profile.length; i++) {
    const own = normalOf(i);
    const a = smooth && last !== null ? last : ring(profile[i], own);
    const b = ring(profile[i + 1], smooth && i + 2 < profile.length ? meanDirection(own, normalOf(i + 1)) : own);
    last = b;
    for (let k = 0; k < sides; k++) {
      if (profile[i][0] > 0) mesh.triangles.push(a + k, a + k + 1, b + k);
      if (profile[i + 1][0] > 0) mesh.triangles.push(a + k + 1, b + k + 1, b + k);
    }
    if (rims.includes(i)) for (let k = 0; k < sides; k++) mesh.edges.push(a + k, a + k + 1);
  }
  if (spoke) {
    for (const z of spoke.z) {
      const first = mesh.corner([spoke.from, 0, z], [0, 0, Math.sign(z)]);
      mesh.corner([1, 0, z], [0, 0, Math.sign(z)]);
      mesh.edges.push(first, first + 1);
    }
  }
  return mesh;
}

function meanDirection(a, b) {
  const x = a[0] + b[0], y = a[1] + b[1], length = Math.hypot(x, y);
  return length > 1e-6 ? [x / length, y / length] : a;
}

/** Radius 1, from −1 to 1; a stroke on its ends shows how it turns. */
const cylinderMesh = (sides) => turnedMesh([[0, -1], [1, -1], [1, 1], [0, 1]], sides, { rims: [1, 2], spoke: { from: 0, z: [-1, 1] } });

/** The same with a bore. */
function ringMesh(bore) {
  return turnedMesh([[bore, 1], [bore, -1], [1, -1], [1, 1], [bore, 1]], 56, { rims: [0, 1, 2, 3], spoke: { from: bore, z: [-1, 1] } });
}

/** A round carcass; its width is from −1 to 1. */
function tyreMesh(sides = 36) {
  const profile = [[0.62, 0.8], [0.62, -0.8], [0.78, -1], [0.9, -0.95], [0.97, -0.75], [1, -0.4], [1, 0.4], [0.97, 0.75], [0.9, 0.95], [0.78, 1], [0.62, 0.8]];
  return turnedMesh(profile, sides, { smooth: true });
}

/** A wheel inside a tyre: five spokes, so that one sees it turn. */
function rimMesh(sides = 30) {
  const mesh = turnedMesh([[0.5, 0.6], [0.5, -0.6], [0.64, -0.78], [0.64, 0.78], [0.5, 0.6]], sides, { rims: [2, 3] });
  const hub = turnedMesh([[0, -0.5], [0.16, -0.5], [0.16, 0.5], [0, 0.5]], 16, { rims: [1, 2] });
  appendMesh(mesh, hub, (p) => p, (n) => n);
  const box = boxMesh();
  for (let k = 0; k < 5; k++) {
    const c = Math.cos((2 * Math.PI * k) / 5), s = Math.sin((2 * Math.PI * k) / 5);
    const turn = ([x, y, z]) => [c * x - s * y, s * x + c * y, z];
    appendMesh(mesh, box, ([x, y, z]) => turn([0.33 + 0.2 * x, 0.055 * y, 0.35 * z]), turn);
  }
  return mesh;
}

function appendMesh(mesh, other, place, turn) {
  const first = mesh.count;
  for (let i = 0; i < other.count; i++) {
    mesh.corner(place(other.positions.slice(3 * i, 3 * i + 3)), turn(other.normals.slice(3 * i, 3 * i + 3)));
  }
  for (const i of other.triangles) mesh.triangles.push(first + i);
  for (const i of other.edges) mesh.edges.push(first + i);
}

/** Tip up, from 0 to 1. */
const coneMesh = () => turnedMesh([[0, 0], [1, 0], [0, 1]], 20, { rims: [1] });

/** A support: tip at 0, foot below. Seen from z it is a triangle. */
function supportMesh() {
  const mesh = new Mesh();
  const corners = [[0, 0], [-1, -1.6], [1, -1.6]];
  for (const z of [1, -1]) {
    const first = mesh.count;
    for (const [x, y] of corners) mesh.corner([x, y, z], [0, 0, z]);
    if (z > 0) mesh.triangles.push(first, first + 1, first + 2);
    else mesh.triangles.push(first, first + 2, first + 1);
    mesh.edges.push(first, first + 1, first + 1, first + 2, first + 2, first);
  }
  return mesh;
}

function ballMesh(sides, rings) {
  const profile = [];
  for (let i = 0; i <= rings; i++) {
    const angle = -Math.PI / 2 + (Math.PI * i) / rings;
    profile.push([i === 0 || i === rings ? 0 : Math.cos(angle), Math.sin(angle)]);
  }
  const mesh = turnedMesh(profile, sides, { smooth: true });
  mesh.normals = mesh.positions.slice();
  mesh.form = "ball";
  return mesh;
}

/** Two great circles on a ball, so that one sees it turn. */
function seamMesh() {
  const mesh = new Mesh();
  for (const axis of [0, 2]) {
    const first = mesh.count;
    for (let k = 0; k < 48; k++) {
      const c = 1.004 * Math.cos((Math.PI * k) / 24), s = 1.004 * Math.sin((Math.PI * k) / 24);
      const position = [0, 0, 0];
      position[(axis + 1) % 3] = c;
      position[(axis + 2) % 3] = s;
      mesh.corner(position, position);
      mesh.edges.push(first + k, first + ((k + 1) % 48));
    }
  }
  return mesh;
}

/** From (0, 0, 0) to (0, 0, 1), all its roundness in the offsets. */
function capsuleMesh(sides, caps) {
  const mesh = new Mesh();
  const rings = [];
  const ring = (z, angle) => {
    const first = mesh.count;
    for (let k = 0; k <= sides; k++) {
      const a = (2 * Math.PI * k) / sides;
      const direction = [Math.cos(angle) * Math.cos(a), Math.cos(angle) * Math.sin(a), Math.sin(angle)];
      mesh.corner([0, 0, z], direction, direction);
    }
    rings.push(first);
  };
  for (let i = 0; i <= caps; i++) ring(0, -Math.PI / 2 + (Math.PI / 2) * (i / caps));
  for (let i = 0; i <= caps; i++) ring(1, (Math.PI / 2) * (i / caps));
  for (let i = 0; i + 1 < rings.length; i++) {
    const [a, b] = [rings[i], rings[i + 1]];
    for (let k = 0; k < sides; k++) {
      if (i > 0) mesh.triangles.push(a + k, a + k + 1, b + k);
      if (i + 2 < rings.length) mesh.triangles.push(a + k + 1, b + k + 1, b + k);
    }
  }
  mesh.form = "capsule";
  return mesh;
}

/** A coil of radius 1 from 0 to 1 with straight leads; the wire's roundness is in the offsets. */
function coilMesh(turns = 8, perTurn = 16, sides = 6) {
  const mesh = new Mesh();
  const lead = 0.08;
  const line = [[0, 0, 0], [0, 0, lead]];
  const steps = turns * perTurn;
  for (let i = 0; i <= steps; i++) {
    const a = (2 * Math.PI * i) / perTurn;
    line.push([Math.cos(a), Math.sin(a), lead + (1 - 2 * lead) * (i / steps)]);
  }
  line.push([0, 0, 1 - lead], [0, 0, 1]);
  line.forEach((point, i) => {
    const onCoil = i > 1 && i < line.length - 2;
    const a = (2 * Math.PI * (i - 2)) / perTurn;
    const radial = onCoil ? [Math.cos(a), Math.sin(a), 0] : [1, 0, 0];
    const other = onCoil ? [0, 0, 1] : [0, -1, 0];
    for (let k = 0; k <= sides; k++) {
      const c = Math.cos((2 * Math.PI * k) / sides), s = Math.sin((2 * Math.PI * k) / sides);
      const direction = add(scaled(radial, c), scaled(other, s));
      mesh.corner(point, direction, direction);
    }
  });
  const row = sides + 1;
  for (let i = 0; i + 1 < line.length; i++) {
    for (let k = 0; k < sides; k++) {
      const a = i * row + k;
      mesh.triangles.push(a, a + row, a + 1, a + 1, a + row, a + row + 1);
    }
  }
  mesh.form = "coil";
  return mesh;
}

/** Plates and hulls of a body, with flat faces. */
function facesMesh(solid) {
  const mesh = new Mesh();
  for (const [a, b, c] of solid.triangles) {
    const [p, q, r] = [solid.vertices[a], solid.vertices[b], solid.vertices[c]];
    if (!p || !q || !r) continue;
    const normal = unitVector(cross(subtract(q, p), subtract(r, p)));
    const first = mesh.count;
    for (const corner of [p, q, r]) mesh.corner(corner, normal);
    mesh.triangles.push(first, first + 1, first + 2);
  }
  const first = mesh.count;
  for (const corner of solid.vertices) mesh.corner(corner, [0, 0, 0]);
  for (const [a, b] of solid.edges || []) mesh.edges.push(first + a, first + b);
  return mesh;
}
