// Buttons, keys and the time slider; the mouse in the picture. All of it calls the viewer, nothing is decided here.

const byId = (id) => document.getElementById(id);

function iconButton(icon, label) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon";
  button.title = label;
  button.setAttribute("aria-label", label);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${icon}`);
  svg.append(use);
  button.append(svg);
  return button;
}

/** Speeds offered for a run of so many seconds: 0.1 to 10 times, and slower ones for what is over in a blink. */
function speedsFor(duration) {
  const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10];
  if (duration < 1) speeds.unshift(0.02, 0.05);
  if (duration < 0.2) speeds.unshift(0.002, 0.005, 0.01);
  if (duration < 0.02) speeds.unshift(0.0002, 0.0005, 0.001);
  if (duration > 60) speeds.push(20, 50);
  if (duration > 600) speeds.push(100, 200, 500);
  return speeds;
}

/** The speed at which a run is first shown: real time where that takes between one and sixty seconds. */
function firstSpeed(duration) {
  if (!(duration > 0)) return 1;
  if (duration >= 1 && duration <= 60) return 1;
  const wanted = duration < 1 ? duration / 4 : duration / 30;
  const speeds = speedsFor(duration);
  return speeds.reduce((best, speed) => (Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best), 1);
}

function fillSpeeds(select, speeds, speed) {
  select.replaceChildren(...speeds.map((value) => new Option(`${value}×`, String(value), false, value === speed)));
}

/** Wires the transport bar, the tools over the picture and the keys. */
function wireControls(viewer) {
  const on = (id, action) => byId(id).addEventListener("click", action);
  on("play", () => viewer.toggle());
  on("first", () => viewer.seek(viewer.span()[0]));
  on("last", () => viewer.seek(viewer.span()[1]));
  on("back", () => viewer.step(-1));
  on("forward", () => viewer.step(1));
  on("reset", () => viewer.restart());
  on("fit", () => viewer.fit());
  on("labels", () => viewer.toggleLabels());
  on("arrows", () => viewer.toggleArrows());
  on("loop", () => {
    viewer.loop = !viewer.loop;
    byId("loop").setAttribute("aria-pressed", String(viewer.loop));
  });
  on("help", () => byId("help-dialog").showModal());
  on("help-close", () => byId("help-dialog").close());
  on("theme", () => viewer.setTheme(!viewer.look.dark, true));
  on("fault-close", () => viewer.fault(null));
  byId("speed").addEventListener("change", (event) => viewer.setSpeed(Number(event.target.value)));
  byId("time").addEventListener("input", (event) => viewer.seek(Number(event.target.value)));
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }
  document.addEventListener("keydown", (event) => onKey(viewer, event));
  wireTabs();
}

function onKey(viewer, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const { target } = event;
  const types = target instanceof HTMLElement && target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
  if (types) return;
  const own = target instanceof HTMLElement && target.matches("button, [role=tab], input, summary") && target.id !== "time";
  const key = event.key;
  if (own && [" ", "Enter", "ArrowLeft", "ArrowRight", "Home", "End"].includes(key)) return;
  const [start, end] = viewer.span();
  const actions = {
    " ": () => viewer.toggle(),
    ArrowLeft: () => viewer.step(event.shiftKey ? -10 : -1),
    ArrowRight: () => viewer.step(event.shiftKey ? 10 : 1),
    Home: () => (viewer.live ? viewer.restart() : viewer.seek(start)),
    End: () => viewer.seek(end),
    "+": () => viewer.faster(1),
    "=": () => viewer.faster(1),
    "-": () => viewer.faster(-1),
    f: () => viewer.fit(),
    l: () => viewer.toggleLabels(),
    a: () => viewer.toggleArrows(),
    o: () => viewer.setParallel(!viewer.camera?.parallel),
    s: () => byId("shoot").click(),
    "?": () => byId("help-dialog").showModal(),
  };
  let action = actions[key];
  if (/^[0-9]$/.test(key)) action = () => viewer.seek(start + ((end - start) * Number(key)) / 10);
  if (!action) return;
  event.preventDefault();
  action();
}

function wireTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  for (const tab of tabs) {
    tab.addEventListener("click", () => showTab(tab.id));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const seen = tabs.filter((other) => other.offsetParent !== null);
      const next = seen[(seen.indexOf(tab) + step + seen.length) % seen.length];
      showTab(next.id);
      next.focus();
    });
  }
}

function showTab(id) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const chosen = tab.id === id;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !chosen;
  }
}

/** The mouse, pen or fingers in the picture. */
function wirePointer(viewer, canvas) {
  const pointers = new Map();
  let doing = null, moved = 0;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    moved = 0;
    if (pointers.size > 1) {
      if (doing === "grab") viewer.release();
      doing = "pinch";
    } else if (event.button !== 0 || event.ctrlKey || event.metaKey) doing = "pan";
    else if (viewer.live && !event.shiftKey && viewer.grab(...place(event))) doing = "grab";
    else doing = "orbit";
    canvas.classList.add("dragging");
    viewer.hover(null);
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      viewer.hover(now);
      return;
    }
    const dx = now[0] - before[0], dy = now[1] - before[1];
    moved += Math.abs(dx) + Math.abs(dy);
    if (doing === "pinch" && pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const grown = Math.hypot(now[0] - other[0], now[1] - other[1]) / (Math.hypot(before[0] - other[0], before[1] - other[1]) || 1);
      viewer.camera.pan(dx / 2, dy / 2);
      viewer.camera.zoom(grown || 1, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    } else if (doing === "grab") viewer.drag(...now);
    else if (doing === "pan") viewer.camera.pan(dx, dy);
    else if (doing === "orbit") viewer.camera.orbit(dx, dy);
    pointers.set(event.pointerId, now);
    viewer.redraw();
  });
  const up = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    if (doing === "grab") viewer.release();
    else if (event.type === "pointerup" && doing === "orbit" && moved < 5) viewer.click(...place(event));
    if (pointers.size === 0) {
      doing = null;
      canvas.classList.remove("dragging");
    }
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => viewer.hover(null));
  canvas.addEventListener("dblclick", (event) => viewer.doubleClick(...place(event)));
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 20 : event.deltaMode === 2 ? 200 : 1);
      viewer.camera.zoom(Math.exp(-Math.max(-300, Math.min(300, pixels)) * 0.0016), ...place(event));
      viewer.redraw();
    },
    { passive: false },
  );
}
