// Draws without WebGL2, on a 2D canvas: what is farther first. Capsules are strokes, balls are discs, everything else is triangles.

class PaintRenderer {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.triangles = 0;
  }

  resize(width, height, ratio) {
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.ratio = ratio;
  }

  forget() {}

  draw(drawing, camera, look) {
    const { context } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    context.lineJoin = "round";
    this.camera = camera;
    this.look = look;
    this.items = [];
    this.triangles = 0;
    const { items } = this;
    for (const group of drawing.groups) {
      const first = items.length;
      for (let i = 0; i < group.count; i++) this.instance(group.mesh, group.data, INSTANCE * i);
      if (group.over) for (let i = first; i < items.length; i++) items[i].depth -= 10;
    }
    for (const mesh of drawing.deformables.meshes) this.soft(mesh);
    this.linesOf(drawing.lines);
    this.items.sort((a, b) => b.depth - a.depth);
    for (const item of this.items) this.paint(item);
    this.items = [];
  }

  /** Pixels a metre has at a place. */
  scaleAt(p) {
    const { camera } = this;
    if (camera.parallel) return 1 / camera.pixel;
    const depth = dot(subtract(camera.eye, p), camera.toEye);
    return depth > 0 ? camera.distance / depth / camera.pixel : 0;
  }

  shade(rgb, normal, lit) {
    const { camera } = this;
    let n = normal;
    if (dot(n, camera.toEye) < 0) n = scaled(n, -1);
    const light = 0.5 + 0.08 * dot(n, camera.worldUp) + 0.5 * Math.max(0, dot(n, camera.toLight));
    return cssColour(rgb.map((c) => Math.min(1, c * (1 + (light - 1) * lit))));
  }

  instance(mesh, data, o) {
    const place = add(ANCHOR, [data[o], data[o + 1], data[o + 2]]);
    const quat = [data[o + 3], data[o + 4], data[o + 5], data[o + 6]];
    const rgb = [data[o + 11], data[o + 12], data[o + 13]];
    const lit = data[o + 14];
    const { camera, items } = this;
    if (mesh.form === "capsule") {
      const end = add(place, turned(quat, [0, 0, data[o + 9]]));
      this.stroke([place, end], 2 * data[o + 10] * this.scaleAt(place), this.shade(rgb, camera.toEye, lit), "round", data[o + 10]);
      return;
    }
    const corner = (i) => {
      const at = [mesh.positions[3 * i] * data[o + 7], mesh.positions[3 * i + 1] * data[o + 8], mesh.positions[3 * i + 2] * data[o + 9]];
      return add(place, turned(quat, at));
    };
    if (mesh.form === "ball") {
      const at = camera.project(place);
      if (at) items.push({ depth: at[2], disc: at, radius: data[o + 7] * this.scaleAt(place), colour: this.shade(rgb, camera.toEye, lit), dark: cssColour(scaled(rgb, 0.55)) });
      return;
    }
    if (mesh.form === "coil") {
      const line = [];
      for (let i = 0; i < mesh.count; i += 14) line.push(corner(i));
      this.stroke(line, 2 * data[o + 10] * this.scaleAt(place), this.shade(rgb, camera.toEye, lit), "round", 0);
      return;
    }
    this.faces(mesh, corner, rgb, lit);
  }

  /** What deforms: its corners are placed, and each has a colour. */
  soft(mesh) {
    const { positions, colours } = mesh;
    const corner = (i) => add(ANCHOR, [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]]);
    const colour = (i) => [0, 1, 2].map((c) => colours[4 * i + c]);
    const mean = (a, b, c) => scaled(add(add(colour(a), colour(b)), colour(c)), 1 / 3);
    this.faces(mesh, corner, mean, colours[3]);
  }

  /** Triangles and edges; every corner is placed and projected once. `rgb`: a colour, or what makes one from three corners. */
  faces(mesh, corner, rgb, lit) {
    const { camera, items } = this;
    const world = [], screen = [];
    for (let i = 0; i < mesh.count; i++) {
      world.push(corner(i));
      screen.push(camera.project(world[i]));
    }
    const { triangles, edges } = mesh;
    for (let i = 0; i < triangles.length; i += 3) {
      const [a, b, c] = [screen[triangles[i]], screen[triangles[i + 1]], screen[triangles[i + 2]]];
      if (!a || !b || !c) continue;
      // seen from behind it turns the other way round; y goes down on the screen
      if ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) >= 0) continue;
      const p = world[triangles[i]];
      const normal = unitVector(cross(subtract(world[triangles[i + 1]], p), subtract(world[triangles[i + 2]], p)));
      const own = typeof rgb === "function" ? rgb(triangles[i], triangles[i + 1], triangles[i + 2]) : rgb;
      items.push({ depth: (a[2] + b[2] + c[2]) / 3, points: [a, b, c], colour: this.shade(own, normal, lit) });
      this.triangles++;
    }
    for (let i = 0; i < edges.length; i += 2) {
      const [a, b] = [screen[edges[i]], screen[edges[i + 1]]];
      const own = typeof rgb === "function" ? rgb(edges[i], edges[i], edges[i + 1]) : rgb;
      const ink = cssColour(scaled(own, this.look.edgeShade));
      if (a && b) items.push({ depth: (a[2] + b[2]) / 2 - 1e-5, line: [a, b], width: 1, colour: ink, cap: "butt" });
    }
  }

  stroke(world, width, colour, cap, nearer) {
    const line = [];
    let depth = 0;
    for (const p of world) {
      const at = this.camera.project(nearer ? add(p, scaled(this.camera.toEye, nearer)) : p);
      if (!at) return;
      line.push(at);
      depth += at[2];
    }
    this.items.push({ depth: depth / line.length - 1e-5, line, width: Math.max(0.6, width), colour, cap });
  }

  linesOf({ data, count }) {
    for (let i = 0; i < count; i++) {
      const o = STRETCH * i;
      const colour = cssColour([data[o + 6], data[o + 7], data[o + 8]], (data[o + 9] + data[o + 10]) / 2);
      const ends = [0, 3].map((k) => add(ANCHOR, [data[o + k], data[o + k + 1], data[o + k + 2]]));
      this.stroke(ends, data[o + 11], colour, "round", 0);
    }
  }

  paint(item) {
    const { context } = this;
    context.beginPath();
    if (item.disc) {
      const [x, y] = item.disc;
      context.arc(x, y, Math.max(0.5, item.radius), 0, 2 * Math.PI);
      context.fillStyle = item.colour;
      context.fill();
      context.lineWidth = 1;
      context.strokeStyle = item.dark;
      context.stroke();
      return;
    }
    const points = item.points || item.line;
    context.moveTo(points[0][0], points[0][1]);
    for (let i = 1; i < points.length; i++) context.lineTo(points[i][0], points[i][1]);
    if (item.points) {
      context.closePath();
      context.fillStyle = item.colour;
      context.fill();
      // hides the seams between neighbouring triangles
      context.lineWidth = 1;
      context.strokeStyle = item.colour;
      context.stroke();
    } else {
      context.lineCap = item.cap;
      context.lineWidth = item.width;
      context.strokeStyle = item.colour;
      context.stroke();
    }
  }
}

function cssColour(rgb, alpha = 1) {
  const part = (c) => Math.round(255 * Math.min(1, Math.max(0, c)));
  return `rgba(${part(rgb[0])},${part(rgb[1])},${part(rgb[2])},${alpha})`;
}
