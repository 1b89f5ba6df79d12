// Pictures to keep: a screenshot, and a film of what moves in the picture.

/** Kinds of films that browsers can make, best first. */
const FILMS = [["video/mp4", "mp4"], ["video/webm;codecs=vp9", "webm"], ["video/webm", "webm"]];

/** The buttons for views and pictures. */
function wirePictures(viewer) {
  for (const button of byId("directions").querySelectorAll("[data-from]")) button.addEventListener("click", () => viewer.lookFrom(button.dataset.from));
  byId("parallel").addEventListener("click", () => viewer.setParallel(!viewer.camera.parallel));
  byId("shoot").addEventListener("click", async () => save(await screenshot(viewer), `${fileName(viewer)}.png`));
  const record = byId("record");
  record.hidden = !filmOf();
  let film = null;
  record.addEventListener("click", () => {
    if (film) return film.stop();
    film = recordFilm(viewer, (blob, ending) => {
      film = null;
      record.setAttribute("aria-pressed", "false");
      save(blob, `${fileName(viewer)}.${ending}`);
    });
    record.setAttribute("aria-pressed", "true");
    if (!viewer.playing()) viewer.play();
  });
}

const fileName = (viewer) => (viewer.scene?.name || "mechanism").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "mechanism";

const filmOf = () => (window.MediaRecorder ? FILMS.find(([type]) => MediaRecorder.isTypeSupported(type)) : undefined);

/** The picture with its names and legends' background, as it is seen now. */
function compose(viewer, canvas) {
  const { width, height } = viewer.canvas;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  context.fillStyle = viewer.look.names.sky;
  context.fillRect(0, 0, width, height);
  context.drawImage(viewer.canvas, 0, 0);
  if (!viewer.overlay.hidden) context.drawImage(viewer.overlay, 0, 0, width, height);
}

/** The picture as a PNG. */
function screenshot(viewer) {
  const canvas = document.createElement("canvas");
  // what WebGL has drawn is there until the browser shows it
  viewer.picture();
  compose(viewer, canvas);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** Films the picture until it is stopped; `done` gets the film and how its file ends. */
function recordFilm(viewer, done) {
  const [type, ending] = filmOf();
  const canvas = document.createElement("canvas");
  compose(viewer, canvas);
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 8e6 });
  const parts = [];
  viewer.afterPicture = () => compose(viewer, canvas);
  recorder.addEventListener("dataavailable", (event) => event.data.size && parts.push(event.data));
  recorder.addEventListener("stop", () => {
    viewer.afterPicture = null;
    done(new Blob(parts, { type }), ending);
  });
  recorder.start(500);
  viewer.redraw();
  return recorder;
}

/** Offers a file for download. */
function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
