// Where one looks from. In the plane: along −z, with a middle and a height. In space: around a target, with the scene's up upwards.

/** Directions that have a name, in degrees: from ahead of the first axis of the floor and above the floor. Stills have the same. */
const DIRECTIONS = { front: [-90, 0], top: [-90, 90], side: [0, 0], iso: [-45, 35.264] };

const LENS = Math.tan((32 * Math.PI) / 360);

class Camera {
  constructor(scene) {
    /** Whether somebody has moved it. */
    this.taken = false;
    this.plane = scene.dimension === 2;
    /** Whether nothing gets smaller with the distance. */
    this.parallel = this.plane;
    this.worldUp = this.plane ? [0, 1, 0] : unitVector(scene.up);
    // across and depth span the floor: x to the right for z up as for y up
    const [x, y, z] = this.worldUp;
    this.floorX = Math.abs(x) > 0.9 ? [0, 1, 0] : unitVector(subtract([1, 0, 0], scaled([x, y, z], x)));
    this.floorY = cross(this.worldUp, this.floorX);
    this.target = [0, 0, 0];
    this.yaw = (-60 * Math.PI) / 180;
    this.pitch = (21 * Math.PI) / 180;
    /** Half the height of what is seen at the target. */
    this.half = 1;
    this.width = 1;
    this.height = 1;
    /** How far things reach from the target: for the depth range. */
    this.reach = 1;
    this.near = 1e-4;
    this.view = new Float64Array(16);
    this.projection = new Float64Array(16);
    this.product = new Float64Array(16);
    this.viewProjection = new Float32Array(16);
    this.edgeLift = this.plane ? 1e-6 : 4e-5;
    this.update();
  }

  get distance() {
    return this.half / LENS;
  }

  update() {
    if (this.plane) {
      this.right = [1, 0, 0];
      this.upward = [0, 1, 0];
      this.toEye = [0, 0, 1];
    } else {
      const c = Math.cos(this.pitch);
      const floor = add(scaled(this.floorX, Math.cos(this.yaw) * c), scaled(this.floorY, Math.sin(this.yaw) * c));
      this.toEye = add(floor, scaled(this.worldUp, Math.sin(this.pitch)));
      this.right = add(scaled(this.floorX, -Math.sin(this.yaw)), scaled(this.floorY, Math.cos(this.yaw)));
      this.upward = cross(this.toEye, this.right);
    }
    this.toLight = unitVector(add(add(scaled(this.toEye, 0.75), scaled(this.upward, 0.55)), scaled(this.right, -0.4)));
    this.eye = add(this.target, scaled(this.toEye, this.distance));
    this.anchor = this.target;
    const { view, projection, right, upward, toEye, eye } = this;
    for (let k = 0; k < 3; k++) {
      view[4 * k] = right[k];
      view[4 * k + 1] = upward[k];
      view[4 * k + 2] = toEye[k];
      view[4 * k + 3] = 0;
    }
    const base = this.parallel ? this.target : eye;
    view[12] = -dot(right, base);
    view[13] = -dot(upward, base);
    view[14] = -dot(toEye, base);
    view[15] = 1;
    projection.fill(0);
    const aspect = this.width / this.height;
    if (this.parallel) {
      this.near = 1e-4;
      projection[0] = 1 / (this.half * aspect);
      projection[5] = 1 / this.half;
      projection[10] = -1 / (this.plane ? this.reach : 2 * this.reach + 10 * this.half);
      projection[15] = 1;
    } else {
      // where lines are cut off, lest they wrap round behind the eye
      const near = (this.near = Math.max(this.distance * 0.02, this.distance - 2 * this.reach));
      const far = this.distance + 6 * this.reach + 10 * this.half;
      projection[0] = 1 / (LENS * aspect);
      projection[5] = 1 / LENS;
      projection[10] = -(far + near) / (far - near);
      projection[11] = -1;
      projection[14] = (-2 * far * near) / (far - near);
    }
    matrixProduct(projection, view, this.product);
    // what is drawn is relative to the anchor
    const relative = subtract(base, this.anchor);
    view[12] = -dot(right, relative);
    view[13] = -dot(upward, relative);
    view[14] = -dot(toEye, relative);
    matrixProduct(projection, view, this.viewProjection);
  }

  /** Place in the picture in CSS pixels and depth; nothing behind the eye. */
  project(p) {
    const m = this.product;
    const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    if (!(w > 1e-9)) return null;
    const x = (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / w;
    const y = (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / w;
    const z = (m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14]) / w;
    return [((x + 1) / 2) * this.width, ((1 - y) / 2) * this.height, z];
  }

  /** The ray through a pixel. */
  ray(x, y) {
    const across = ((2 * x) / this.width - 1) * this.half * (this.width / this.height);
    const up = (1 - (2 * y) / this.height) * this.half;
    const on = add(this.target, add(scaled(this.right, across), scaled(this.upward, up)));
    if (this.parallel) return { origin: add(on, scaled(this.toEye, this.plane ? this.reach : 2 * this.reach)), direction: scaled(this.toEye, -1) };
    return { origin: this.eye, direction: unitVector(subtract(on, this.eye)) };
  }

  /** Length of a pixel at the target. */
  get pixel() {
    return (2 * this.half) / this.height;
  }

  /** Length of a pixel at the place that stands at `at` in `numbers`. */
  pixelAt(numbers, at) {
    if (this.parallel) return this.pixel;
    let depth = 0;
    for (let k = 0; k < 3; k++) depth += (this.eye[k] - numbers[at + k]) * this.toEye[k];
    return (this.pixel * Math.max(depth, this.near)) / this.distance;
  }

  pan(dx, dy) {
    this.taken = true;
    this.target = add(this.target, add(scaled(this.right, -dx * this.pixel), scaled(this.upward, dy * this.pixel)));
    this.update();
  }

  orbit(dx, dy) {
    if (this.plane) return this.pan(dx, dy);
    this.yaw -= dx * 0.008;
    this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + dy * 0.008));
    this.update();
  }

  /** Looks from a direction: an angle about the vertical from the first axis of the floor, and one above the floor, both in degrees. */
  lookFrom([azimuth, elevation]) {
    this.yaw = (azimuth * Math.PI) / 180;
    // straight from above the horizon could be anywhere: a hair beside it
    this.pitch = Math.min(1.5707, Math.max(-1.5707, (elevation * Math.PI) / 180));
    this.update();
  }

  /** Nearer by a factor, towards the pixel (x, y). */
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    this.taken = true;
    const before = this.half;
    const half = Math.min(this.widest || Infinity, Math.max(this.closest || 0, before / factor));
    const shift = 1 - half / before;
    const across = ((2 * x) / this.width - 1) * before * (this.width / this.height);
    const up = (1 - (2 * y) / this.height) * before;
    this.target = add(this.target, add(scaled(this.right, across * shift), scaled(this.upward, up * shift)));
    this.half = half;
    this.update();
  }

  /** All of a box in the picture. */
  fit(bounds, margin = 1.12) {
    const middle = scaled(add(bounds[0], bounds[1]), 0.5);
    const size = Math.max(lengthOf(subtract(bounds[1], bounds[0])) / 2, 1e-9);
    this.target = this.plane ? [middle[0], middle[1], 0] : middle;
    this.closest = size * 1e-3;
    this.widest = size * 1e3;
    this.update();
    const aspect = this.width / this.height;
    let half = size * 1e-2;
    for (let corner = 0; corner < 8; corner++) {
      const p = subtract([0, 1, 2].map((k) => bounds[(corner >> k) & 1][k]), middle);
      const x = Math.abs(dot(p, this.right)) / aspect, y = Math.abs(dot(p, this.upward));
      const nearer = this.parallel ? 0 : dot(p, this.toEye) * LENS;
      half = Math.max(half, x + nearer, y + nearer);
    }
    this.half = half * margin;
    this.update();
  }
}
