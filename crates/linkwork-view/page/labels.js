// Names over the picture, on a canvas of its own.

function drawLabels(viewer, canvas, ratio) {
  const { camera, look, shown, scene, drawing, pose } = viewer;
  const { labels } = shown;
  canvas.hidden = !labels.bodies && !labels.points && !labels.joints && viewer.near === null;
  if (canvas.hidden) return;
  const width = Math.round(camera.width * ratio), height = Math.round(camera.height * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, camera.width, camera.height);
  const [strong, plain] = [`600 12px ${viewer.css.sans}`, `12px ${viewer.css.sans}`];
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const taken = [];
  const put = (world, text, colour, font, dot) => {
    context.font = font;
    const at = camera.project(world);
    if (!at || at[0] < -20 || at[1] < -20 || at[0] > camera.width + 20 || at[1] > camera.height + 20) return;
    if (dot) {
      context.fillStyle = colour;
      context.beginPath();
      context.arc(at[0], at[1], 3, 0, 7);
      context.fill();
    }
    const w = context.measureText(text).width;
    for (const [dx, dy] of [[9, -10], [9, 11], [-9 - w, -10], [-9 - w, 11], [-w / 2, -20], [-w / 2, 22]]) {
      const box = [at[0] + dx, at[1] + dy - 8, at[0] + dx + w, at[1] + dy + 8];
      if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      taken.push(box);
      context.strokeStyle = look.names.halo;
      context.lineWidth = 3.5;
      context.strokeText(text, box[0], at[1] + dy);
      context.fillStyle = colour;
      context.fillText(text, box[0], at[1] + dy);
      return;
    }
  };
  if (viewer.near !== null) {
    const point = scene.points[viewer.near];
    put(drawing.spot(pose, point.spot), point.name, look.names.contact, strong, true);
  }
  if (labels.points) {
    for (const point of scene.points.slice(0, 400)) if (pose.present[point.spot.body]) put(drawing.spot(pose, point.spot), point.name, look.names.text, plain, true);
  }
  if (labels.joints) {
    scene.joints.slice(0, 400).forEach((joint, j) => {
      if (pose.closed[j] && pose.present[joint.spots[0].body]) put(drawing.spot(pose, joint.spots[0]), joint.name, look.names.reaction, plain, false);
    });
  }
  if (labels.bodies) {
    scene.bodies.slice(0, 400).forEach((body, b) => {
      const box = drawing.boxes[b];
      if (b === 0 || !pose.present[b] || body.auxiliary) return;
      const middle = box ? scaled(add(box[0], box[1]), 0.5) : [0, 0, 0];
      put(drawing.spot(pose, { body: b, at: middle }), body.name, look.names.text, strong, false);
    });
  }
}

/** In the corner: which way the axes go and, in the plane, how long a length is. */
function drawAxes({ camera, look, css }, canvas, ratio) {
  // only when they have changed
  const key = [...camera.toEye, ...camera.right, camera.plane && camera.pixel, look.dark, ratio].join();
  if (canvas.dataset.key === key) return;
  canvas.dataset.key = key;
  const [wide, high] = [300, 84];
  canvas.width = wide * ratio;
  canvas.height = high * ratio;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const names = ["x", "y", "z"].slice(0, camera.plane ? 2 : 3);
  const colours = [look.names.contact, look.series(2), look.series(0)];
  const x0 = camera.plane ? 22 : 40, y0 = high - (camera.plane ? 22 : 40), long = 24;
  context.font = `600 11px ${css.sans}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 2;
  const axes = names.map((name, k) => ({ name, colour: colours[k], x: camera.right[k] * long, y: -camera.upward[k] * long, depth: camera.toEye[k] }));
  axes.sort((a, b) => a.depth - b.depth);
  for (const { name, colour, x, y } of axes) {
    context.strokeStyle = context.fillStyle = colour;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x0 + x, y0 + y);
    context.stroke();
    const far = Math.hypot(x, y) || 1;
    if (far > 5) context.fillText(name, x0 + x + (9 * x) / far, y0 + y + (9 * y) / far);
  }
  context.textAlign = "left";
  if (!camera.plane) return;
  const length = niceStep(50 * camera.pixel), pixels = length / camera.pixel;
  context.strokeStyle = context.fillStyle = look.names.guide;
  context.beginPath();
  context.moveTo(72, y0 - 5);
  context.lineTo(72, y0);
  context.lineTo(72 + pixels, y0);
  context.lineTo(72 + pixels, y0 - 5);
  context.stroke();
  const [unit, factor] = length >= 1000 ? ["km", 1e-3] : length >= 0.999 ? ["m", 1] : length >= 0.00999 ? ["cm", 100] : ["mm", 1000];
  context.fillText(`${tell(length * factor)} ${unit}`, 78 + pixels, y0 - 2);
}
