// The start, and the interface for tests.

/** What tests and curious people reach the page by. */
function testInterface(viewer) {
  const find = (name) => viewer.scene && viewer.pose && viewer.scene.points.find((point) => point.name === name);
  const point = (name) => {
    const found = find(name);
    return found ? viewer.drawing.spot(viewer.pose, found.spot) : null;
  };
  Object.assign(window.linkwork, {
    time: () => viewer.time(),
    seek: (t) => {
      viewer.seek(t);
      viewer.place();
    },
    play: () => viewer.play(),
    pause: () => viewer.pause(),
    frames: () => viewer.pictures,
    camera: () => ({ yaw: viewer.camera.yaw, pitch: viewer.camera.pitch, parallel: viewer.camera.parallel, half: viewer.camera.half }),
    screenshot: () => screenshot(viewer),
    point,
    pixel: (name) => {
      const at = point(name);
      const pixel = at && viewer.camera.project(at);
      return pixel ? [pixel[0], pixel[1]] : null;
    },
    plots: () => viewer.plots.plots.map((plot) => ({ title: plot.title, columns: plot.columns, axes: plot.axes, legend: [...plot.list.children].map((item) => item.innerText) })),
    stats: () => {
      const count = Math.min(viewer.pictures, viewer.spent.length);
      const sum = viewer.spent.subarray(0, count).reduce((a, b) => a + b, 0);
      return { bodies: viewer.scene ? viewer.scene.bodies.length - 1 : 0, triangles: Math.round(viewer.renderer.triangles), milliseconds: count ? sum / count : 0 };
    },
  });
}

async function start() {
  const viewer = new Viewer();
  testInterface(viewer);
  try {
    const data = JSON.parse(byId("linkwork-data").textContent);
    if (data.kind === "live") {
      document.body.classList.add("live");
      fillSpeeds(byId("speed"), speedsFor(10), 1);
      showTab("tab-model");
      viewer.digits = 2;
      viewer.times = new Float64Array(0);
      viewer.live = new Live(viewer);
      return;
    }
    await unpackScene(data.scene);
    await unpackSurfaces(data.scene);
    const poses = await decodeMotion(data.motion, data.scene);
    const table = await decodeTable(data.table, poses.map((pose) => pose.t));
    viewer.show(data, poses, table);
    if (!poses.length) viewer.notice("This run has no motion to show.");
    else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) viewer.play();
  } catch (error) {
    viewer.failed(error);
  }
}

window.linkwork = { ready: false, errors: [] };
window.addEventListener("error", (event) => window.linkwork.errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => window.linkwork.errors.push(String(event.reason)));
start();
