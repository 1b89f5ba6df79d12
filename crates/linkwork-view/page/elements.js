// How joints, springs, cables, chains, contacts, forces and traces look.

/** Symbols of joints one of whose bodies goes along a line: a guide is drawn as far as it goes. */
const GUIDED = new Set(["sleeve", "tube", "slot"]);

/** Parts of a joint that sit on its bodies. */
function addJoint(drawing, joint, j) {
  const { unit, plane } = drawing;
  const [first, second] = joint.spots;
  const axis = joint.axis ? unitVector(joint.axis) : plane ? [0, 0, 1] : unitVector(drawing.scene.up);
  const quat = turnOfZ(...axis, []);
  const top = drawing.top;
  const part = (shape, spot, stretch, extra = {}) =>
    drawing.group(shape).add({ body: spot.body, at: spot.at, quat, stretch, joint: j, colour: "joint", lift: top + 2 * unit, ...extra });
  // the sleeve turns with the guide's body, whose axis is known
  const sleeve = (shape, stretch) => showsGuide(drawing, joint) && part(shape, second, stretch, { lift: top });
  const tube = () => drawing.group("ring 0.550", () => ringMesh(0.55)) && sleeve("ring 0.550", [1.2 * unit, 1.2 * unit, 1.9 * unit]);
  const pin = (spot) => {
    part("pin", spot, [0.95 * unit, 0.95 * unit, plane ? 0.3 * unit : 1.6 * unit]);
    part("pin", spot, [0.4 * unit, 0.4 * unit, plane ? 0.4 * unit : 1.75 * unit], { colour: "pin", lift: top + 2.5 * unit });
  };
  switch (joint.symbol) {
    case "pin":
      pin(first);
      break;
    case "ball":
      part("ball", first, [1.15 * unit, 1.15 * unit, 1.15 * unit]);
      break;
    case "runner": // the second body has the point that runs along the curve
      part("ball", second, [1.15 * unit, 1.15 * unit, 1.15 * unit]);
      break;
    case "cross":
      part("ball", first, [0.9 * unit, 0.9 * unit, 0.9 * unit]);
      part("pin", first, [0.4 * unit, 0.4 * unit, 1.8 * unit]);
      part("pin", first, [0.4 * unit, 0.4 * unit, 1.8 * unit], { quat: turnOfZ(...across(axis), []) });
      break;
    case "sleeve":
      sleeve("box", [1.1 * unit, 1.1 * unit, 1.8 * unit]);
      break;
    case "tube":
      tube();
      break;
    case "slot":
      part(plane ? "pin" : "ball", second, plane ? [unit, unit, 0.3 * unit] : [1.1 * unit, 1.1 * unit, 1.1 * unit], plane ? { quat: [1, 0, 0, 0] } : {});
      break;
    case "block":
      part("box", first, [unit, unit, plane ? 0.3 * unit : unit], plane ? { quat: [1, 0, 0, 0] } : {});
      break;
    case "plate":
      part("box", second, [2.2 * unit, 2.2 * unit, 0.25 * unit]);
      break;
    case "ball-on-plate":
      part("ball", second, [1.1 * unit, 1.1 * unit, 1.1 * unit]);
      part("pin", second, [2 * unit, 2 * unit, 0.15 * unit]);
      break;
    default: // rods are drawn below; gears, racks, rolling and floating show by their bodies
  }
}

/** Whether a sleeve and a guide are to be drawn: not where both bodies show by themselves how one slides along the other. */
function showsGuide(drawing, joint) {
  return joint.spots.some((spot) => spot.body === 0 || !drawing.boxes[spot.body]);
}

/** In the plane: what carries a place of the ground. In space supports are solids of the ground. */
function addSupport(drawing, at) {
  const { unit } = drawing;
  const up = unitVector(drawing.scene.up);
  drawing.hatches.push({ at, up });
  const stretch = [1.9 * unit, 1.9 * unit, 0.1 * unit];
  const quat = quatFromAxes(cross(up, [0, 0, 1]), up, [0, 0, 1]);
  drawing.group("support").add({ body: 0, at, quat, stretch, colour: "support", lift: 0.001 * unit });
}

/** In the plane: the foot of a support is hatched. */
function drawHatches(drawing) {
  const { unit, lines } = drawing;
  const ink = drawing.look.colour("guide");
  for (const { at, up } of drawing.hatches) {
    const right = cross(up, [0, 0, 1]);
    const foot = subtract(at, scaled(up, 3.04 * unit));
    const line = (a, b, width) => lines.push(a[0], a[1], 0, b[0], b[1], 0, ink, 1, width);
    line(subtract(foot, scaled(right, 2.7 * unit)), add(foot, scaled(right, 2.7 * unit)), 1.8);
    for (let k = -2; k <= 3; k++) {
      const from = add(foot, scaled(right, 0.9 * k * unit));
      line(from, subtract(from, add(scaled(right, 0.8 * unit), scaled(up, 0.8 * unit))), 1.2);
    }
  }
}

/** A plane: in the plane a line with hatches behind it over all that is seen, in space a grid. */
function drawPlane(drawing, pose, camera, solid, shown) {
  if (!pose.present[solid.body]) return;
  const at = drawing.spot(pose, { body: solid.body, at: solid.at });
  const normal = turned(drawing.attitude(pose, solid.body), solid.normal);
  if (!drawing.plane) {
    // walls are seen from their front only, and no farther than things go
    const floor = dot(normal, camera.worldUp) > 0.5;
    if (floor) pushGrid(drawing, camera, at, normal);
    else if (dot(subtract(camera.eye, at), normal) > 0) pushGrid(drawing, camera, at, normal, shown.bounds);
    return;
  }
  const along = unitVector([normal[1], -normal[0], 0], [1, 0, 0]);
  const way = dot(subtract(camera.target, at), along);
  const far = camera.half * Math.hypot(1, camera.width / camera.height) * 1.05;
  const space = niceStep(13 * camera.pixel), depth = 9 * camera.pixel;
  const ink = drawing.look.colour("guide");
  const place = (s) => add(at, scaled(along, s));
  const [a, b] = [place(way - far), place(way + far)];
  const z = drawing.layers[solid.body];
  drawing.lines.push(a[0], a[1], z, b[0], b[1], z, ink, 1, 2);
  // hatches stand still in the world, so that one sees how far things go
  for (let k = Math.floor((way - far) / space), n = 0; k * space <= way + far && n < 1000; k++, n++) {
    const p = place(k * space);
    drawing.lines.push(p[0], p[1], z, p[0] - (along[0] + normal[0]) * depth, p[1] - (along[1] + normal[1]) * depth, z, ink, 0.55, 1.2);
  }
}

/** A faint grid at the level of the floor; where nothing stands on one, under all that moves. */
function drawFloor(drawing, camera, shown) {
  if (!shown.floor || !shown.bounds) return;
  const up = camera.worldUp;
  const [low, high] = shown.bounds;
  const told = drawing.scene.floor;
  const lowest = told ?? [0, 1, 2].reduce((sum, k) => sum + Math.min(low[k] * up[k], high[k] * up[k]), 0) - 3.2 * drawing.unit;
  const middle = scaled(add(low, high), 0.5);
  pushGrid(drawing, camera, add(middle, scaled(up, lowest - dot(middle, up))), up);
}

/** A grid that fades about the target; with `within`, about the middle of that box and no farther. */
function pushGrid(drawing, camera, at, normal, within = null) {
  const first = Math.abs(dot(normal, camera.floorX)) < 0.9 ? unitVector(subtract(camera.floorX, scaled(normal, dot(camera.floorX, normal)))) : across(normal);
  const second = cross(normal, first);
  const spacing = niceStep(camera.half / 4);
  const reach = within ? 0.6 * lengthOf(subtract(within[1], within[0])) : 14 * spacing;
  const offset = subtract(within ? scaled(add(within[0], within[1]), 0.5) : camera.target, at);
  const middle = add(at, subtract(offset, scaled(normal, dot(offset, normal))));
  const { ink } = drawing.look;
  const line = (a, b, x, k) => {
    const strength = (Math.abs(k) % 5 === 0 ? 0.75 : 0.4) * (within ? 0.6 : 1);
    const fade = (s) => strength * Math.max(0, 1 - Math.hypot(x, s) / reach);
    const base = add(middle, scaled(a, x));
    for (let s = -reach; s < reach * 0.999; s += reach / 4) {
      const [p, q] = [add(base, scaled(b, s)), add(base, scaled(b, s + reach / 4))];
      if (fade(s) > 0 || fade(s + reach / 4) > 0) drawing.lines.push(...p, ...q, ink, fade(s), 1.1, fade(s + reach / 4));
    }
  };
  // lines stand still in the world
  for (const [a, b] of [[first, second], [second, first]]) {
    const own = dot(middle, a);
    for (let k = Math.ceil((own - reach) / spacing), n = 0; k * spacing <= own + reach && n < 80; k++, n++) line(a, b, k * spacing - own, k);
  }
}

/** 1, 2 or 5 times a power of ten, not below `x`. */
function niceStep(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  for (const factor of [1, 2, 5]) if (factor * power >= x * 0.999) return factor * power;
  return 10 * power;
}

/** Guides along which bodies slide, and rods that keep a distance. */
function drawGuides(drawing, pose) {
  const { unit } = drawing;
  const threads = drawing.group("thread"), capsules = drawing.group("capsule");
  const colour = drawing.look.colour("guide");
  drawing.scene.joints.forEach((joint, j) => {
    if (!pose.closed[j] || !pose.present[joint.spots[0].body] || !pose.present[joint.spots[1].body]) return;
    const z = drawing.plane ? drawing.top : 0;
    if (joint.symbol === "rod") {
      const a = drawing.spot(pose, joint.spots[0]), b = drawing.spot(pose, joint.spots[1]);
      capsules.between(a[0], a[1], a[2] + z, b[0], b[1], b[2] + z, 0.35 * unit, drawing.look.colour("joint"));
      return;
    }
    const guide = drawing.guides.get(j);
    if (!guide || !showsGuide(drawing, joint)) return;
    const a = drawing.spot(pose, joint.spots[0]);
    const axis = turned(drawing.attitude(pose, joint.spots[0].body), joint.axis);
    const [low, high] = [guide[0] - 4 * unit, guide[1] + 4 * unit];
    const down = drawing.plane ? (drawing.layers[joint.spots[0].body] || 0.5 * unit) : 0;
    if (drawing.plane && joint.spots[0].body === 0) hatchGuide(drawing, a, axis, low, high);
    threads.between(
      a[0] + axis[0] * low, a[1] + axis[1] * low, a[2] + axis[2] * low + down,
      a[0] + axis[0] * high, a[1] + axis[1] * high, a[2] + axis[2] * high + down, 0.3 * unit, colour,
    );
  });
}

/** In the plane: marks of the ground below a guide. */
function hatchGuide({ unit, lines, look }, at, axis, low, high) {
  const side = axis[0] >= 0 ? [axis[1], -axis[0], 0] : [-axis[1], axis[0], 0];
  const ink = look.colour("guide");
  const step = 1.4 * unit;
  for (let k = Math.ceil(low / step), n = 0; k * step <= high && n < 300; k++, n++) {
    const p = add(at, scaled(axis, k * step));
    lines.push(p[0], p[1], 0, p[0] + 0.8 * unit * (side[0] - axis[0]), p[1] + 0.8 * unit * (side[1] - axis[1]), 0, ink, 1, 1.2);
  }
}

/** A zigzag between two places of the plane. */
function drawZigzag(drawing, a, way, wide, colour) {
  const threads = drawing.group("thread");
  const across = scaled(unitVector([-way[1], way[0], 0]), wide);
  const place = (s, side) => add(a, add(scaled(way, s), scaled(across, side)));
  const line = [a, place(0.1, 0)];
  for (let k = 0; k < 14; k++) line.push(place(0.1 + (0.8 * (k + 0.5)) / 14, k % 2 ? -1 : 1));
  line.push(place(0.9, 0), add(a, way));
  for (let i = 0; i + 1 < line.length; i++) threads.between(...line[i], ...line[i + 1], 0.12 * wide, colour);
}

/** A spring, damper, rope or actuator. `rest`: its length at the start. */
function drawSpring(drawing, pose, spring, rest) {
  const [first, second] = spring.ends;
  if (!pose.present[first.body] || !pose.present[second.body]) return;
  const { unit, look } = drawing;
  const z = drawing.plane ? drawing.top + 4 * unit : 0;
  const a = drawing.spot(pose, first), b = drawing.spot(pose, second);
  a[2] += z;
  b[2] += z;
  const way = subtract(b, a), length = lengthOf(way);
  if (!(length > 1e-9)) return;
  const colour = look.colour(spring.look === "rope" ? "rope" : "spring");
  if (spring.look === "rope") {
    drawing.group("thread").between(...a, ...b, 0.2 * unit, colour);
    return;
  }
  // short springs get slender coils
  const wide = Math.min(1.5 * unit, 0.3 * (rest || length));
  if (spring.look === "spring" || spring.look === "both") {
    if (drawing.plane) drawZigzag(drawing, a, way, wide, colour);
    else drawing.group("coil").along(...a, ...way, wide, length, 0.16 * wide, colour);
  }
  if (spring.look !== "spring") {
    const dark = look.colour(spring.look === "actuator" ? "actuator" : "damper");
    const inner = spring.look === "both" ? 0.55 * wide : 0.8 * wide;
    const tube = Math.min(0.9 * length, 0.55 * (rest || length));
    const middle = add(a, scaled(way, tube / length / 2));
    drawing.group("pin").along(...middle, ...way, inner, tube / 2, 0, dark);
    drawing.group("capsule").between(...a, ...b, 0.35 * inner, look.colour("steel"));
  }
  for (const end of [a, b]) drawing.group("ball").along(...end, 0, 0, 1, 0.45 * unit, 0.45 * unit, 0, look.colour("joint"));
}

/**
 * A cable over pulleys: straight between them, along arcs on them. In the plane across the axis, with z × n = d for the direction d in which the cable
 * leaves a pulley of signed radius r at its place c + r n, two pulleys with D = c₂ − c₁ and m = r₁ − r₂ have d = D (ℓ + i m) / |D|², ℓ² = |D|² − m².
 */
function drawCable(drawing, pose, cable) {
  if (cable.through.some((spot) => !pose.present[spot.body])) return;
  const axis = unitVector(cable.axis), u = across(axis), v = cross(axis, u);
  const centres = cable.through.map((spot) => {
    const p = drawing.spot(pose, spot);
    return [dot(p, u), dot(p, v), dot(p, axis)];
  });
  const radii = centres.map((_, i) => cable.radii[i] || 0);
  const directions = [];
  for (let i = 0; i + 1 < centres.length; i++) {
    const dx = centres[i + 1][0] - centres[i][0], dy = centres[i + 1][1] - centres[i][1];
    const square = dx * dx + dy * dy || 1e-18, m = radii[i] - radii[i + 1];
    const l = Math.sqrt(Math.max(0, square - m * m));
    const [ex, ey] = [(dx * l - dy * m) / square, (dy * l + dx * m) / square];
    const norm = Math.hypot(ex, ey) || 1;
    directions.push([ex / norm, ey / norm]);
  }
  const points = [];
  const place = (x, y, h) => points.push(add(add(scaled(u, x), scaled(v, y)), scaled(axis, h)));
  centres.forEach(([x, y, h], i) => {
    const r = radii[i];
    const before = directions[i - 1] || directions[i], after = directions[i] || directions[i - 1];
    if (r === 0 || !before) return place(x, y, h);
    // n = d × z, the right of d
    const from = Math.atan2(-before[0], before[1]);
    let turn = Math.atan2(-after[0], after[1]) - from;
    const full = 2 * Math.PI;
    turn = ((turn % full) + full) % full;
    if (r < 0 && turn > 1e-9) turn -= full;
    // an angle a rounding off a whole turn is none
    if (Math.abs(turn) > full - 1e-3) turn = 0;
    const steps = Math.max(1, Math.ceil(Math.abs(turn) / 0.15));
    for (let k = 0; k <= steps; k++) {
      const angle = from + (turn * k) / steps;
      place(x + r * Math.cos(angle), y + r * Math.sin(angle), h);
    }
  });
  const z = drawing.plane ? drawing.top + 1.2 * drawing.unit : 0;
  const colour = drawing.look.colour("rope"), threads = drawing.group("thread");
  for (let i = 0; i + 1 < points.length; i++) {
    const [a, b] = [points[i], points[i + 1]];
    threads.between(a[0], a[1], a[2] + z, b[0], b[1], b[2] + z, 0.2 * drawing.unit, colour);
  }
}

/** Chains: a capsule between neighbouring nodes. */
function drawChains(drawing, pose, camera) {
  const { pieces, nodes } = pose;
  const threads = drawing.group("thread");
  const z = drawing.plane ? drawing.top + drawing.unit : 0;
  for (let p = 0; p < pieces.length; p += 3) {
    const chain = drawing.scene.chains[pieces[p]];
    const colour = drawing.look.colour(`body:${chain.colour || 1}`);
    const thick = chain.radius > 0 ? chain.radius : 0.3 * drawing.unit;
    const end = pieces[p + 1] + pieces[p + 2] - 1;
    // what is but a few pixels thick is a line
    const pixels = (2 * thick) / camera.pixelAt(nodes, 3 * pieces[p + 1]);
    if (pixels < 4) {
      const { lines } = drawing;
      for (let a = 3 * pieces[p + 1]; a < 3 * end; a += 3) {
        lines.push(nodes[a], nodes[a + 1], nodes[a + 2] + z, nodes[a + 3], nodes[a + 4], nodes[a + 5] + z, colour, 1, Math.max(1.8, pixels));
      }
      continue;
    }
    for (let i = pieces[p + 1]; i < end; i++) {
      const a = 3 * i;
      threads.between(nodes[a], nodes[a + 1], nodes[a + 2] + z, nodes[a + 3], nodes[a + 4], nodes[a + 5] + z, thick, colour);
    }
  }
}

/** An arrow from a place; `over`: seen through bodies. */
function pushArrow(drawing, x, y, z, dx, dy, dz, colour, over = "") {
  const { unit } = drawing;
  const length = Math.hypot(dx, dy, dz);
  if (!(length > 0.4 * unit)) return;
  const head = Math.min(1.8 * unit, 0.6 * length), share = (length - head) / length;
  drawing.group(`${over}thread`).between(x, y, z, x + dx * share, y + dy * share, z + dz * share, 0.24 * unit, colour, 0.4);
  drawing.group(`${over}cone`).along(x + dx * share, y + dy * share, z + dz * share, dx, dy, dz, 0.4 * head, head, 0, colour, 0.4);
}

function drawContacts(drawing, pose, shown) {
  const { unit, look } = drawing;
  const balls = drawing.group("ball"), colour = look.colour("contact");
  const z = drawing.plane ? drawing.top + 5 * unit : 0;
  const most = drawing.contactForce;
  const scale = most > 0 ? (7 * unit * shown.forceScale) / most : 0;
  for (let i = 0; i < 6 * pose.contactCount; i += 6) {
    const c = pose.contacts;
    balls.along(c[i], c[i + 1], c[i + 2] + z, 0, 0, 1, 0.5 * unit, 0.5 * unit, 0, colour, 0.4);
    const force = Math.hypot(c[i + 3], c[i + 4], c[i + 5]);
    if (!(force > 1e-6 * most)) continue;
    // weak pushes stay visible: the root of the force
    const s = (scale * most * Math.sqrt(force / most)) / force;
    pushArrow(drawing, c[i], c[i + 1], c[i + 2] + z, c[i + 3] * s, c[i + 4] * s, c[i + 5] * s, colour);
  }
}

/** Reactions and forces of springs, from the table of results. */
function drawArrows(drawing, pose, shown) {
  if (!shown.arrowScale) return;
  const length = 12 * drawing.unit * shown.forceScale;
  const z = drawing.plane ? drawing.top + 6 * drawing.unit : 0;
  const f = [0, 0, 0];
  for (const arrow of drawing.scene.arrows) {
    if (!shown.arrows[arrow.kind] || !pose.present[arrow.at.body]) continue;
    const scale = length / (shown.arrowScale[arrow.kind] || 1);
    const colour = drawing.look.colour(arrow.kind === "spring" ? "pull" : arrow.kind);
    const a = drawing.spot(pose, arrow.at);
    if (arrow.towards && arrow.columns.length === 1) {
      const b = drawing.spot(pose, arrow.towards);
      const way = unitVector(subtract(b, a), [0, 0, 0]);
      const force = shown.table.value(arrow.columns[0], pose.t);
      if (!Number.isFinite(force)) continue;
      const s = clampTo(force * scale, 5 * length);
      pushArrow(drawing, a[0], a[1], a[2] + z, way[0] * s, way[1] * s, way[2] * s, colour, "over ");
      pushArrow(drawing, b[0], b[1], b[2] + z, -way[0] * s, -way[1] * s, -way[2] * s, colour, "over ");
      continue;
    }
    f[2] = 0;
    arrow.columns.forEach((name, k) => (f[k] = shown.table.value(name, pose.t)));
    const force = Math.hypot(f[0], f[1], f[2]);
    if (!(force > 0) || !Number.isFinite(force)) continue;
    const s = clampTo(force * scale, 5 * length) / force;
    pushArrow(drawing, a[0], a[1], a[2] + z, f[0] * s, f[1] * s, f[2] * s, colour, "over ");
  }
}

const clampTo = (x, most) => Math.max(-most, Math.min(most, x));

/** Paths of chosen points: strong where they have been, faint where they will go. */
function drawTraces(drawing, pose, shown) {
  const z = drawing.plane ? drawing.top + 8 * drawing.unit : 0;
  const { lines } = drawing;
  for (const trace of shown.traces.values()) {
    const { places, times, count } = trace;
    const colour = drawing.look.colour(trace.colour);
    for (let i = 0; i + 1 < count; i++) {
      const a = 3 * i;
      if (Number.isNaN(places[a]) || Number.isNaN(places[a + 3])) continue;
      const past = times[i] < pose.t;
      lines.push(places[a], places[a + 1], places[a + 2] + z, places[a + 3], places[a + 4], places[a + 5] + z, colour, past ? 1 : 0.25, past ? 2.2 : 1.4);
    }
  }
}
