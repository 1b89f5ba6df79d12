// The panels beside the picture: what is shown, the summary of the run, and the dialog that picks columns. Names come from models: only ever as text.

function textElement(tag, text, className = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}

/** A check box with its text. */
function checkRow(text, checked, action) {
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = checked;
  box.addEventListener("change", () => action(box.checked));
  label.append(box, textElement("span", text));
  return label;
}

/** Wires the panel "Show"; `fillShow` gives it what the scene has. */
function wireShow(viewer) {
  const check = (id, action) => byId(id).addEventListener("change", (event) => {
    action(event.target.checked);
    viewer.shownChanged();
  });
  check("show-floor", (on) => (viewer.shown.floor = on));
  check("show-contacts", (on) => (viewer.shown.contacts = on));
  for (const kind of ["bodies", "points", "joints"]) check(`label-${kind}`, (on) => (viewer.shown.labels[kind] = on));
  for (const kind of ["reaction", "spring", "force"]) check(`arrow-${kind}`, (on) => (viewer.shown.arrows[kind] = on));
  byId("force-scale").addEventListener("input", (event) => {
    viewer.shown.forceScale = 2 ** (1.5 * Number(event.target.value));
    viewer.redraw();
  });
  for (const kind of ["beams", "bodies"]) {
    byId(`shade-${kind}`).addEventListener("change", (event) => {
      viewer.shown.shades[kind] = event.target.value;
      viewer.redraw();
    });
  }
  byId("enlarged").addEventListener("input", (event) => {
    const factor = 10 ** Number(event.target.value);
    viewer.shown.enlarged = Number(factor.toPrecision(2));
    byId("enlarged-told").textContent = `×${tell(viewer.shown.enlarged)}`;
    viewer.redraw();
  });
  byId("follow").addEventListener("change", (event) => viewer.follow(Number(event.target.value)));
  byId("trace-search").addEventListener("input", () => fillTraces(viewer));
  byId("trace-none").addEventListener("click", () => {
    viewer.shown.traces.clear();
    fillTraces(viewer);
    viewer.redraw();
  });
}

function fillShow(viewer) {
  const { scene, shown } = viewer;
  const bodies = scene.bodies.map((body, b) => [body.name, b]).filter(([, b]) => b > 0 && !scene.bodies[b].auxiliary);
  byId("follow").replaceChildren(new Option("nothing: whole motion", "0"), ...bodies.map(([name, b]) => new Option(name, String(b), false, b === viewer.followed)));
  byId("follow").value = String(viewer.followed);
  byId("floor-row").hidden = scene.dimension === 2 || viewer.drawing.planeSolids.length > 0;
  for (const kind of ["reaction", "spring", "force"]) {
    const box = byId(`arrow-${kind}`);
    box.checked = shown.arrows[kind];
    box.disabled = !scene.arrows.some((arrow) => arrow.kind === kind);
    box.parentElement.hidden = box.disabled;
  }
  fillColours(viewer);
  byId("arrows").hidden = scene.arrows.length === 0;
  byId("add-plot").parentElement.hidden = viewer.table.columns.length === 0;
  for (const kind of ["bodies", "points", "joints"]) byId(`label-${kind}`).checked = shown.labels[kind];
  fillTraces(viewer);
}

/** What colours can show of bodies that deform. */
function fillColours(viewer) {
  const { deformables } = viewer.drawing;
  let some = false;
  for (const kind of ["beams", "bodies"]) {
    const fields = deformables.fields(kind);
    const select = byId(`shade-${kind}`);
    byId(`shade-${kind}-row`).hidden = fields.length === 0;
    select.replaceChildren(...fields.map((field) => new Option(field.name, field.key)), new Option("one colour each", ""));
    select.value = viewer.shown.shades[kind];
    some ||= fields.length > 0;
  }
  byId("colours-part").hidden = !some;
  byId("enlarged-row").hidden = deformables.skins.length === 0;
  byId("enlarged").value = String(Math.log10(viewer.shown.enlarged));
  byId("enlarged-told").textContent = `×${tell(viewer.shown.enlarged)}`;
}

/** Over the picture: which colour is which value. */
function drawLegends(viewer) {
  const { deformables } = viewer.drawing;
  const told = [];
  for (const kind of ["beams", "bodies"]) {
    const shade = deformables.fields(kind).length ? deformables.shade(kind, viewer.shown.shades[kind]) : null;
    if (!shade || !(shade.largest > 0)) continue;
    const { field } = shade;
    const [low, high] = shade.range;
    told.push({ text: `${field.name}, ${field.unit}`, low: tell(low), high: tell(high), colours: SCALES[field.signed ? "signed" : "unsigned"] });
  }
  if (viewer.shown.enlarged !== 1 && deformables.skins.length) told.push({ text: `deformation ×${tell(viewer.shown.enlarged)}` });
  // only when something has changed
  const key = JSON.stringify(told);
  const list = byId("legends");
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...told.map(({ text, low, high, colours }) => {
    const part = (name, content = "") => {
      const element = document.createElement("div");
      element.className = name;
      element.textContent = content;
      return element;
    };
    const legend = part("legend");
    legend.append(part("name", text));
    if (!colours) return legend;
    const ramp = part("ramp"), ends = part("ends");
    ramp.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
    ends.append(...[low, high].map((value) => Object.assign(document.createElement("span"), { textContent: value })));
    legend.append(ramp, ends);
    return legend;
  }));
}

function fillTraces(viewer) {
  const wanted = byId("trace-search").value.trim().toLowerCase();
  const rows = [];
  viewer.scene.points.forEach((point, i) => {
    if (rows.length > 300 || (wanted && !point.name.toLowerCase().includes(wanted))) return;
    // a point of the ground goes nowhere
    if (point.spot.body === 0) return;
    const item = document.createElement("li");
    item.append(checkRow(point.name, viewer.shown.traces.has(i), (on) => viewer.trace(i, on)));
    rows.push(item);
  });
  byId("trace-list").replaceChildren(...rows);
}

/** What a line of the summary is called; those not named here are left out. */
const SUMMARY = [
  ["status", "Status"], ["stopped_by", "Stopped by"], ["t", "Simulated time", "s"], ["rows", "Rows of results"], ["event_count", "Events"],
  ["settings.formulation", "Formulation"], ["settings.formulation_chosen_because", "… because"], ["settings.integrator", "Integrator"],
  ["settings.integrator_chosen_because", "… because"], ["settings.tolerance", "Tolerance"], ["settings.step", "Step", "s"], ["settings.output_step", "Output step", "s"],
  ["fallback", "Fallback"], ["statistics.steps", "Steps"], ["statistics.rejected_steps", "Rejected steps"], ["statistics.evaluations", "Evaluations"],
  ["statistics.factorisations", "Factorisations"], ["statistics.smallest_step", "Smallest step", "s"], ["statistics.largest_step", "Largest step", "s"],
  ["statistics.wall_seconds", "Time to compute", "s"], ["accuracy.energy_drift", "Energy drift", "J"], ["accuracy.relative_energy_drift", "… of the energies at play"],
  ["accuracy.constraint_residual", "Constraint residual", "m"], ["accuracy.relative_constraint_residual", "… of the size"], ["linkwork", "Linkwork"],
];

function summaryRows(summary) {
  const rows = [];
  for (const [path, label, unit] of SUMMARY) {
    const value = path.split(".").reduce((at, key) => (at === null || at === undefined ? at : at[key]), summary);
    if (value === null || value === undefined || value === "") continue;
    let text;
    if (typeof value === "number") text = (Number.isInteger(value) ? value.toLocaleString("en").replaceAll(",", "\u202f") : tell(value)) + (unit ? ` ${unit}` : "");
    else text = typeof value === "object" ? sentenceOf(value) : String(value);
    rows.push([label, text]);
  }
  return rows;
}

/** What an object of the summary says, in a line. */
function sentenceOf({ t, condition, message, advice, ...rest }) {
  const at = Number.isFinite(t) ? ` at ${tell(t)} s` : "";
  const text = [message || condition, ...[advice || []].flat()].filter(Boolean).join(". ");
  return text ? `${text}${at && !message ? at : ""}` : JSON.stringify(rest);
}

/** The panel "Run": warnings, summary, events. */
function fillRun(viewer, data) {
  const lines = new Set(data.warnings || []);
  for (const remark of (data.summary && data.summary.remarks) || []) if (remark.message) lines.add(remark.message);
  const warnings = [...lines].map((text) => textElement("p", text, "warning"));
  const summary = data.summary || {};
  if (summary.failure) {
    const text = typeof summary.failure === "string" ? summary.failure : sentenceOf(summary.failure);
    warnings.unshift(textElement("p", text, "warning bad"));
  }
  byId("warnings").replaceChildren(...(warnings.length ? [textElement("h2", "Warnings"), ...warnings] : []));
  byId("warning-count").hidden = warnings.length === 0;
  byId("warning-count").textContent = String(warnings.length);
  const body = document.createElement("tbody");
  for (const [label, text] of summaryRows(summary)) {
    const row = document.createElement("tr");
    const head = textElement("th", label);
    head.scope = "row";
    row.append(head, textElement("td", text));
    body.append(row);
  }
  byId("summary").replaceChildren(body);
  byId("summary-title").hidden = body.childElementCount === 0;
  fillEvents(viewer, data.events || []);
}

function fillEvents(viewer, events) {
  const [start, end] = viewer.span();
  const marks = events.slice(0, 400).map((event) => {
    const mark = document.createElement("span");
    mark.style.left = `${(100 * (event.t - start)) / (end - start || 1)}%`;
    return mark;
  });
  byId("marks").replaceChildren(...marks);
  if (events.length === 0) return byId("events").replaceChildren();
  const table = document.createElement("table");
  for (const event of events.slice(0, 200)) {
    const row = document.createElement("tr");
    const head = document.createElement("th");
    const button = textElement("button", `${tell(event.t)} s`, "to-time");
    button.type = "button";
    button.addEventListener("click", () => viewer.seek(event.t));
    head.append(button);
    row.append(head, textElement("td", [event.kind, event.name].filter(Boolean).join(" ")));
    table.append(row);
  }
  const title = events.length > 200 ? `Events (200 of ${events.length})` : "Events";
  byId("events").replaceChildren(textElement("h2", title), table);
}

/** The dialog that picks columns; `plot`: where they go if the unit fits. */
function openPicker(viewer, plot = null) {
  const list = byId("picker-list"), search = byId("picker-search");
  search.value = "";
  const fill = () => {
    const wanted = search.value.trim().toLowerCase();
    const groups = new Map();
    const shown = new Set(viewer.plots.columns());
    for (const { name } of viewer.table.columns) {
      if (wanted && !name.toLowerCase().includes(wanted)) continue;
      const title = titleOf(name);
      if (!groups.has(title)) groups.set(title, []);
      groups.get(title).push(name);
    }
    list.replaceChildren(...[...groups].map(([title, names]) => {
      const details = document.createElement("details");
      details.open = wanted !== "" || names.some((name) => shown.has(name)) || groups.size === 1;
      details.append(textElement("summary", `${title} (${names.length})`));
      for (const name of names.slice(0, 400)) {
        const row = checkRow(name, shown.has(name), () => viewer.plots.toggle(name, plot));
        row.append(textElement("span", viewer.table.unit(name), "unit"));
        details.append(row);
      }
      return details;
    }));
    if (groups.size === 0) list.replaceChildren(textElement("p", "No column has this in its name.", "note"));
  };
  search.oninput = fill;
  fill();
  byId("picker").showModal();
  search.focus();
}

/** The plots that the model names, each with its columns: patterns in which `*` stands for any letters. */
function askedPlots(plots, names) {
  const quoted = (text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  const matching = (pattern) => names.filter((name) => new RegExp(`^${quoted(pattern)}$`).test(name));
  const asked = plots.map((plot) => [plot, [...new Set(plot.split(/[\s,]+/).filter(Boolean).flatMap(matching))]]);
  return asked.filter(([, wanted]) => wanted.length > 0);
}

/** Plots one would ask for first. */
function firstPlots(viewer) {
  const { plots, table } = viewer;
  const names = table.columns.map((column) => column.name);
  const byUnit = (wanted) => {
    const groups = new Map();
    for (const name of wanted) {
      const unit = table.unit(name);
      if (!groups.has(unit)) groups.set(unit, []);
      groups.get(unit).push(name);
    }
    return [...groups.values()].sort((a, b) => b.length - a.length);
  };
  // what does not move says little
  const moves = (name) => {
    const values = table.column(name);
    if (!values || table.count === 0) return true;
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < table.count; i++) {
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
    return high - low > 1e-9 * Math.max(1, Math.abs(low));
  };
  const asked = askedPlots(viewer.scene.view?.plots || [], names);
  if (asked.length) {
    for (const [title, wanted] of asked) for (const group of byUnit(wanted)) plots.add(title, group.slice(0, 10));
    return;
  }
  // what the model asks for, what drives it and what gives way; then where it goes
  const measures = byUnit(names.filter((name) => name.startsWith("measure.")));
  for (const group of measures.slice(0, 2)) plots.add("Measures", group.slice(0, 6));
  const driven = byUnit(names.filter((name) => /^(driver|actuator|motor|controller)\..*\.(force|torque)$/.test(name)));
  for (const group of driven.slice(0, 2)) plots.add("Drives", group.slice(0, 6));
  const springs = byUnit(names.filter((name) => /^(spring|torsion_spring|bushing|tyre|cable|rope)\..*(force|torque)$/.test(name)).filter(moves));
  if (springs.length) plots.add("Springs and ropes", springs[0].slice(0, 6));
  const coordinates = byUnit(names.filter((name) => /^joint\..*\.q$/.test(name)).filter(moves));
  for (const group of coordinates.slice(0, measures.length ? 1 : 2)) plots.add("Joint coordinates", group.slice(0, 6));
  const energies = ["energy.kinetic", "energy.potential", "energy.total"].filter((name) => table.has(name));
  if (energies.length) plots.add("Energies", energies);
  const reactions = names.filter((name) => /^joint\..*\.force$/.test(name));
  if (reactions.length && plots.plots.length < 5) plots.add("Reactions", reactions.slice(0, 6));
  if (plots.plots.length < 2) {
    const points = byUnit(names.filter((name) => /^(point|body)\..*\.[xyz]$/.test(name)).filter(moves));
    if (points.length) plots.add("Places", points[0].slice(0, 6));
  }
}
