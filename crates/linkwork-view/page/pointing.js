// What the pointer does in the picture: naming, tracing, following, and pulling bodies of a live run.

Object.assign(Viewer.prototype, {
  /** The named point within a few pixels. */
  pointNear(x, y, most = 10) {
    if (!this.pose) return null;
    let best = null, least = most;
    this.scene.points.forEach((point, i) => {
      if (!this.pose.present[point.spot.body] || point.spot.body === 0) return;
      const at = this.camera.project(this.drawing.spot(this.pose, point.spot));
      if (!at) return;
      const way = Math.hypot(at[0] - x, at[1] - y);
      if (way < least) {
        least = way;
        best = i;
      }
    });
    return best;
  },

  hover(place) {
    const tip = byId("tip");
    let marked = 0, near = null;
    if (place && this.pose) {
      near = this.pointNear(...place);
      const hit = this.drawing.pick(this.camera.ray(...place));
      marked = hit ? hit.body : 0;
      if (marked) {
        tip.textContent = this.scene.bodies[marked].name;
        tip.style.left = `${Math.min(place[0] + 14, this.camera.width * 0.7)}px`;
        tip.style.top = `${Math.min(place[1] + 16, this.camera.height - 30)}px`;
      }
    }
    tip.hidden = !marked;
    this.canvas.classList.toggle("over", Boolean(marked || near !== null));
    if (marked !== this.marked || near !== this.near) {
      this.marked = marked;
      this.near = near;
      this.redraw();
    }
  },

  click(x, y) {
    const near = this.pointNear(x, y);
    if (near !== null) this.trace(near, !this.shown.traces.has(near));
  },

  doubleClick(x, y) {
    const hit = this.pose && this.drawing.pick(this.camera.ray(x, y));
    if (hit && !this.live) this.follow(hit.body);
    else if (!hit) this.fit();
  },

  /** Takes the body under the pointer in hand; false where there is none. */
  grab(x, y) {
    if (!this.pose || !this.live) return false;
    let hit = this.drawing.pick(this.camera.ray(x, y));
    if (!hit) {
      const near = this.pointNear(x, y, 14);
      if (near === null) return false;
      const { spot } = this.scene.points[near];
      hit = { body: spot.body, at: this.drawing.spot(this.pose, spot) };
    }
    const { body, at: place } = hit;
    const centre = Array.from(this.pose.places.subarray(3 * body, 3 * body + 3));
    const at = turned(conjugate(this.drawing.attitude(this.pose, body)), subtract(place, centre));
    if (this.drawing.plane) at[2] = 0;
    this.held = { body, at, to: place, plane: place };
    this.live.send({ type: "grab", body, at, to: place });
    this.redraw();
    return true;
  },

  /** The hand goes in the plane through where it grabbed, facing the eye. */
  drag(x, y) {
    if (!this.held) return;
    const { origin, direction } = this.camera.ray(x, y);
    const normal = this.camera.toEye;
    const slope = dot(direction, normal);
    if (Math.abs(slope) < 1e-6) return;
    const to = add(origin, scaled(direction, dot(subtract(this.held.plane, origin), normal) / slope));
    if (!to.every(Number.isFinite)) return;
    if (this.drawing.plane) to[2] = 0;
    this.held.to = to;
    this.live.move(to);
    this.redraw();
  },

  release() {
    if (!this.held) return;
    this.held = null;
    this.shown.hand = null;
    if (this.live) this.live.endMove();
    this.redraw();
  },
});
