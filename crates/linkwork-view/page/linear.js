// Vectors, quaternions (w, x, y, z) and matrices (16 numbers, column after column), as small as the page needs.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const lengthOf = (a) => Math.hypot(a[0], a[1], a[2]);

function unitVector(a, otherwise = [0, 0, 1]) {
  const length = lengthOf(a);
  return length > 1e-12 ? scaled(a, 1 / length) : otherwise;
}

/** Some unit vector across `a`. */
function across(a) {
  const least = Math.abs(a[0]) <= Math.abs(a[1]) && Math.abs(a[0]) <= Math.abs(a[2]) ? [1, 0, 0] : Math.abs(a[1]) <= Math.abs(a[2]) ? [0, 1, 0] : [0, 0, 1];
  return unitVector(cross(a, least), [1, 0, 0]);
}

function quatProduct(a, b) {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

const conjugate = (q) => [q[0], -q[1], -q[2], -q[3]];

/** v turned by q. */
function turned(q, v) {
  const tx = 2 * (q[2] * v[2] - q[3] * v[1]);
  const ty = 2 * (q[3] * v[0] - q[1] * v[2]);
  const tz = 2 * (q[1] * v[1] - q[2] * v[0]);
  return [
    v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
    v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
    v[2] + q[0] * tz + q[1] * ty - q[2] * tx,
  ];
}

/** The shortest turn of z onto the unit vector (x, y, z), written into `out` from `at` on. */
function turnOfZ(x, y, z, out, at = 0) {
  if (z < -0.999999) {
    out[at] = 0;
    out[at + 1] = 1;
    out[at + 2] = 0;
    out[at + 3] = 0;
    return out;
  }
  const w = Math.sqrt((1 + z) / 2);
  out[at] = w;
  out[at + 1] = -y / (2 * w);
  out[at + 2] = x / (2 * w);
  out[at + 3] = 0;
  return out;
}

/** The turn whose columns are three right-handed unit vectors. */
function quatFromAxes(x, y, z) {
  const trace = x[0] + y[1] + z[2];
  if (trace > 0) {
    const s = 2 * Math.sqrt(trace + 1);
    return [s / 4, (y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s];
  }
  if (x[0] > y[1] && x[0] > z[2]) {
    const s = 2 * Math.sqrt(Math.max(0, 1 + x[0] - y[1] - z[2])) || 1;
    return [(y[2] - z[1]) / s, s / 4, (y[0] + x[1]) / s, (z[0] + x[2]) / s];
  }
  if (y[1] > z[2]) {
    const s = 2 * Math.sqrt(Math.max(0, 1 + y[1] - x[0] - z[2])) || 1;
    return [(z[0] - x[2]) / s, (y[0] + x[1]) / s, s / 4, (z[1] + y[2]) / s];
  }
  const s = 2 * Math.sqrt(Math.max(0, 1 + z[2] - x[0] - y[1])) || 1;
  return [(x[1] - y[0]) / s, (z[0] + x[2]) / s, (z[1] + y[2]) / s, s / 4];
}

/** a b, written into `out`. */
function matrixProduct(a, b, out) {
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}
