// Surfaces of many triangles: the looks of bodies. They come packed (docs/viewer-data.md) and are drawn round where they bend little.

/** Triangles that are turned against each other by less than this, by its cosine, share their light. */
const ROUND = 0.77;

/** Unpacks all surfaces of a scene, in place. */
async function unpackScene(scene) {
  for (const body of (scene && scene.bodies) || []) {
    for (const solid of body.solids.concat((body.looks || []).map((look) => look.solid))) {
      if (solid.form === "surface" && !solid.unpacked) solid.unpacked = await unpackSurface(solid);
    }
  }
}

async function unpackSurface({ low, step, corners, triangles, data }) {
  const integers = new Integers(await inflate(data));
  const places = new Float32Array(3 * corners), faces = new Uint32Array(3 * triangles);
  const last = [0, 0, 0];
  for (let i = 0; i < 3 * corners; i++) {
    last[i % 3] += integers.next();
    places[i] = low[i % 3] + step * last[i % 3];
  }
  let next = 0;
  for (let i = 0; i < 3 * triangles; i++) {
    const corner = next - integers.next();
    if (!(corner >= 0 && corner < corners)) throw new Error("a surface is damaged");
    faces[i] = corner;
    if (corner === next) next++;
  }
  return { places, faces };
}

/** The shape of a surface: its corners once for each direction that they face. */
function surfaceMesh({ places, faces }) {
  const mesh = new Mesh();
  const count = faces.length / 3;
  const normals = new Float32Array(3 * count), areas = new Float32Array(count);
  for (let t = 0; t < count; t++) {
    const [a, b, c] = [3 * faces[3 * t], 3 * faces[3 * t + 1], 3 * faces[3 * t + 2]];
    const px = places[b] - places[a], py = places[b + 1] - places[a + 1], pz = places[b + 2] - places[a + 2];
    const qx = places[c] - places[a], qy = places[c + 1] - places[a + 1], qz = places[c + 2] - places[a + 2];
    const x = py * qz - pz * qy, y = pz * qx - px * qz, z = px * qy - py * qx;
    const area = Math.sqrt(x * x + y * y + z * z);
    areas[t] = area;
    if (area > 0) normals.set([x / area, y / area, z / area], 3 * t);
  }
  const about = Array.from({ length: places.length / 3 }, () => []);
  for (let i = 0; i < faces.length; i++) if (about[faces[i]].length < 64) about[faces[i]].push((i / 3) | 0);
  // corners of one vertex with the same direction are one
  const made = Array.from({ length: places.length / 3 }, () => []);
  for (let i = 0; i < faces.length; i++) {
    const t = (i / 3) | 0, vertex = faces[i];
    let x = 0, y = 0, z = 0;
    for (const other of about[vertex]) {
      const along = normals[3 * other] * normals[3 * t] + normals[3 * other + 1] * normals[3 * t + 1] + normals[3 * other + 2] * normals[3 * t + 2];
      if (along <= ROUND) continue;
      x += areas[other] * normals[3 * other];
      y += areas[other] * normals[3 * other + 1];
      z += areas[other] * normals[3 * other + 2];
    }
    const size = Math.sqrt(x * x + y * y + z * z);
    const normal = size > 0 ? [x / size, y / size, z / size] : [normals[3 * t], normals[3 * t + 1], normals[3 * t + 2]];
    const known = made[vertex].find(([n]) => Math.abs(n[0] - normal[0]) + Math.abs(n[1] - normal[1]) + Math.abs(n[2] - normal[2]) < 1e-3);
    if (known) mesh.triangles.push(known[1]);
    else {
      const corner = mesh.corner([places[3 * vertex], places[3 * vertex + 1], places[3 * vertex + 2]], normal);
      made[vertex].push([normal, corner]);
      mesh.triangles.push(corner);
    }
  }
  return mesh;
}
