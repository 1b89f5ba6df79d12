// Draws with WebGL2. Every shape is drawn once for all its instances; lines of constant width on the screen are quads, one instance a stretch.

/** Numbers an instance has: place 3, quaternion 4, stretch 3, thickness 1, colour 3, lit 1, body 1. */
const INSTANCE = 16;
/** Numbers a stretch of a line has: from 3, to 3, colour 3, how opaque it is at either end 2, width in pixels 1. */
const STRETCH = 12;

const SOLID_VERTEX = `#version 300 es
layout(location=0) in vec3 position;
layout(location=1) in vec3 offset;
layout(location=2) in vec3 normal;
layout(location=3) in vec3 place;
layout(location=4) in vec4 quat;
layout(location=5) in vec4 stretch;
layout(location=6) in vec4 colour;
uniform mat4 viewProjection;
uniform float lift;
out vec3 shade;
out vec3 facing;
out float lit;
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.yzw, v); return v + q.x * t + cross(q.yzw, t); }
void main() {
  vec3 world = place + turn(quat, position * stretch.xyz + offset * stretch.w);
  gl_Position = viewProjection * vec4(world, 1.0);
  gl_Position.z -= lift * gl_Position.w;
  facing = turn(quat, normal / max(abs(stretch.xyz), vec3(1e-9)) * min(min(stretch.x, stretch.y), stretch.z) * step(length(offset), 0.5)
    + normal * step(0.5, length(offset)));
  shade = colour.rgb;
  lit = colour.a;
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 shade;
in vec3 facing;
in float lit;
uniform vec3 toEye;
uniform vec3 toLight;
uniform vec3 toShine;
uniform vec3 up;
uniform vec4 edge;
out vec4 result;
void main() {
  if (edge.a > 0.0) { result = vec4(mix(shade * edge.x, edge.yyy, edge.z), 1.0); return; }
  vec3 n = normalize(facing);
  if (dot(n, toEye) < 0.0) n = -n;
  float sun = max(dot(n, toLight), 0.0);
  float sky = 0.5 + 0.5 * dot(n, up);
  float shine = max(dot(n, toShine), 0.0);
  shine *= shine;
  shine *= shine;
  shine *= shine;
  shine *= shine;
  vec3 c = shade * (0.5 + 0.14 * sky + 0.5 * sun) + vec3(0.08 * shine);
  result = vec4(mix(shade, c, lit), 1.0);
}`;

const LINE_VERTEX = `#version 300 es
layout(location=0) in vec2 corner;
layout(location=1) in vec3 from;
layout(location=2) in vec3 to;
layout(location=3) in vec3 colour;
layout(location=4) in vec3 alphasAndWidth;
uniform mat4 viewProjection;
uniform vec2 size;
uniform float near;
out vec4 shade;
out float side;
out float reach;
void main() {
  // a pixel more, to fade out in
  float width = alphasAndWidth.z + 1.0;
  vec2 alphas = alphasAndWidth.xy;
  vec4 a = viewProjection * vec4(from, 1.0);
  vec4 b = viewProjection * vec4(to, 1.0);
  if (a.w < near && b.w < near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * size;
  along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
  vec4 p = mix(a, b, corner.x);
  // a little longer than told, so that stretches of a line leave no gaps
  vec2 shift = (vec2(-along.y, along.x) * corner.y + along * (corner.x * 2.0 - 1.0) * 0.35) * width / size;
  gl_Position = vec4(p.xy + shift * p.w, p.z - 2e-5 * p.w, p.w);
  shade = vec4(colour, mix(alphas.x, alphas.y, corner.x));
  side = corner.y * width * 0.5;
  reach = width * 0.5;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 shade;
in float side;
in float reach;
out vec4 result;
void main() {
  float a = shade.a * clamp(reach - abs(side), 0.0, 1.0);
  result = vec4(shade.rgb * a, a);
}`;

/** Corners that are copied at the most. */
const MOST_COPIED = 200000;

/** Buffers of a shape and of its instances. */
class GlGroup {
  /** `copies`: instead of instances, which processors draw one by one, the shape is repeated so many times and drawn at once. */
  constructor(gl, mesh, copies = 0) {
    this.copies = copies;
    this.corners = mesh.count;
    this.array = gl.createVertexArray();
    this.buffers = [];
    const buffer = () => {
      this.buffers.push(gl.createBuffer());
      return this.buffers.at(-1);
    };
    const repeated = (numbers) => {
      if (!copies) return new Float32Array(numbers);
      const all = new Float32Array(copies * numbers.length);
      for (let i = 0; i < copies; i++) all.set(numbers, i * numbers.length);
      return all;
    };
    gl.bindVertexArray(this.array);
    [mesh.positions, mesh.offsets, mesh.normals].forEach((numbers, location) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer());
      gl.bufferData(gl.ARRAY_BUFFER, repeated(numbers), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 0, 0);
    });
    this.instances = buffer();
    this.capacity = 0;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    [[3, 3, 0], [4, 4, 3], [5, 4, 7], [6, 4, 11]].forEach(([location, count, first]) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, count, gl.FLOAT, false, 4 * INSTANCE, 4 * first);
      gl.vertexAttribDivisor(location, copies ? 0 : 1);
    });
    const indices = (list) => {
      const all = new Uint32Array(Math.max(copies, 1) * list.length);
      for (let i = 0; i < Math.max(copies, 1); i++) for (let k = 0; k < list.length; k++) all[i * list.length + k] = list[k] + i * this.corners;
      return all;
    };
    const [triangles, edges] = [indices(mesh.triangles), indices(mesh.edges)];
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, 4 * (triangles.length + edges.length), gl.STATIC_DRAW);
    gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, 0, triangles);
    gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, 4 * triangles.length, edges);
    this.triangles = mesh.triangles.length;
    this.edges = mesh.edges.length;
    this.edgesFrom = 4 * triangles.length;
    gl.bindVertexArray(null);
  }

  /** Sends where the instances are. */
  fill(gl, group) {
    let { data, count } = group;
    if (this.copies) {
      const each = this.corners * INSTANCE;
      if (!this.spread) this.spread = new Float32Array(this.copies * each);
      for (let i = 0; i < count; i++) {
        this.spread.set(data.subarray(i * INSTANCE, (i + 1) * INSTANCE), i * each);
        // doubled until all corners have it
        for (let have = INSTANCE; have < each; have *= 2) this.spread.copyWithin(i * each + have, i * each, i * each + Math.min(have, each - have));
      }
      [data, count] = [this.spread, count * this.corners];
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    if (this.capacity < data.length) {
      this.capacity = data.length;
      gl.bufferData(gl.ARRAY_BUFFER, 4 * this.capacity, gl.DYNAMIC_DRAW);
    }
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, data, 0, count * INSTANCE);
  }

  draw(gl, mode, each, from, count) {
    gl.bindVertexArray(this.array);
    if (this.copies) gl.drawElements(mode, each * count, gl.UNSIGNED_INT, from);
    else gl.drawElementsInstanced(mode, each, gl.UNSIGNED_INT, from, count);
  }

  free(gl) {
    gl.deleteVertexArray(this.array);
    for (const buffer of this.buffers) gl.deleteBuffer(buffer);
  }
}

/** Buffers of faces whose corners are placed for every picture. */
class GlSoftMesh {
  constructor(gl, mesh) {
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.buffers = [[0, 3, mesh.positions], [2, 3, mesh.normals], [6, 4, mesh.colours]].map(([location, count, numbers]) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, numbers.byteLength, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, count, gl.FLOAT, false, 0, 0);
      return buffer;
    });
    this.indices = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles.byteLength + mesh.edges.byteLength, gl.STATIC_DRAW);
    gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, 0, mesh.triangles);
    gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles.byteLength, mesh.edges);
    gl.bindVertexArray(null);
  }

  fill(gl, mesh) {
    [mesh.positions, mesh.normals, mesh.colours].forEach((numbers, k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[k]);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, numbers);
    });
  }

  /** What an instance would say of all corners: they are placed already. */
  static still(gl) {
    gl.vertexAttrib3f(1, 0, 0, 0);
    gl.vertexAttrib3f(3, 0, 0, 0);
    gl.vertexAttrib4f(4, 1, 0, 0, 0);
    gl.vertexAttrib4f(5, 1, 1, 1, 0);
  }

  free(gl) {
    gl.deleteVertexArray(this.array);
    for (const buffer of [...this.buffers, this.indices]) gl.deleteBuffer(buffer);
  }
}

/** Whether WebGL2 is computed by the processor; asked of a context that is given back at once. */
function drawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return true;
  const told = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

class GlRenderer {
  /** Fails where there is no WebGL2. */
  constructor(canvas) {
    // without a graphics card smooth edges cost too much while things move: `soft` says so
    this.soft = drawnBySoftware();
    const gl = canvas.getContext("webgl2", { antialias: !this.soft, alpha: false });
    if (!gl) throw new Error("no WebGL2");
    this.gl = gl;
    this.canvas = canvas;
    this.triangles = 0;
    this.lost = false;
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.lost = true;
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.build();
      this.lost = false;
      this.onRestored?.();
    });
    this.build();
  }

  build() {
    const { gl } = this;
    this.groups = new Map();
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT);
    this.line = this.program(LINE_VERTEX, LINE_FRAGMENT);
    this.lines = gl.createVertexArray();
    gl.bindVertexArray(this.lines);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    this.stretches = gl.createBuffer();
    this.stretchCapacity = 0;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.stretches);
    [[1, 3, 0], [2, 3, 3], [3, 3, 6], [4, 3, 9]].forEach(([location, count, first]) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, count, gl.FLOAT, false, 4 * STRETCH, 4 * first);
      gl.vertexAttribDivisor(location, 1);
    });
    gl.bindVertexArray(null);
  }

  program(vertex, fragment) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(`shader: ${gl.getProgramInfoLog(program)}`);
    const uniforms = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
    for (let i = 0; i < count; i++) {
      const { name } = gl.getActiveUniform(program, i);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  resize(width, height, ratio) {
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.ratio = ratio;
  }

  /** Another scene: what belonged to the last one goes. */
  forget() {
    for (const group of this.groups.values()) group.free(this.gl);
    this.groups.clear();
  }

  draw(drawing, camera, look) {
    const { gl } = this;
    if (this.lost) return;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...look.sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
    this.triangles = 0;
    this.drawSolids(drawing.groups.filter((group) => !group.over), camera, look);
    this.drawSoft(drawing.deformables.meshes, look, camera);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.drawLines(drawing.lines, camera);
    gl.depthMask(true);
    const over = drawing.groups.filter((group) => group.over && group.count > 0);
    if (over.length) {
      gl.disable(gl.BLEND);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      this.drawSolids(over, camera, look);
    }
    gl.bindVertexArray(null);
  }

  drawSolids(groups, camera, look) {
    const { gl, solid } = this;
    const { uniforms } = solid;
    gl.useProgram(solid.program);
    gl.uniformMatrix4fv(uniforms.viewProjection, false, camera.viewProjection);
    gl.uniform3fv(uniforms.toEye, camera.toEye);
    gl.uniform3fv(uniforms.toLight, camera.toLight);
    gl.uniform3fv(uniforms.toShine, unitVector(add(camera.toEye, camera.toLight)));
    gl.uniform3fv(uniforms.up, camera.worldUp);
    gl.uniform4f(uniforms.edge, 0, 0, 0, 0);
    gl.uniform1f(uniforms.lift, 0);
    for (const group of groups) {
      if (group.count === 0) continue;
      const own = this.buffersOf(group);
      own.fill(gl, group);
      if (own.triangles === 0) continue;
      own.draw(gl, gl.TRIANGLES, own.triangles, 0, group.count);
      this.triangles += (own.triangles / 3) * group.count;
    }
    gl.uniform4f(uniforms.edge, look.edgeShade, look.edgeInk, look.edgeMix, 1);
    gl.uniform1f(uniforms.lift, camera.edgeLift);
    for (const group of groups) {
      if (group.count === 0) continue;
      const own = this.groups.get(group);
      if (own.edges === 0) continue;
      own.draw(gl, gl.LINES, own.edges, own.edgesFrom, group.count);
    }
  }

  /** What deforms, with the program and the light of the solids before. */
  drawSoft(meshes, look, camera) {
    if (meshes.length === 0) return;
    const { gl } = this;
    const { uniforms } = this.solid;
    GlSoftMesh.still(gl);
    gl.uniform4f(uniforms.edge, 0, 0, 0, 0);
    gl.uniform1f(uniforms.lift, 0);
    for (const mesh of meshes) {
      let own = this.groups.get(mesh);
      if (!own) this.groups.set(mesh, (own = new GlSoftMesh(gl, mesh)));
      own.fill(gl, mesh);
      gl.bindVertexArray(own.array);
      gl.drawElements(gl.TRIANGLES, mesh.triangles.length, gl.UNSIGNED_INT, 0);
      this.triangles += mesh.triangles.length / 3;
    }
    gl.uniform4f(uniforms.edge, look.edgeShade, look.edgeInk, look.edgeMix, 1);
    gl.uniform1f(uniforms.lift, camera.edgeLift);
    for (const mesh of meshes) {
      gl.bindVertexArray(this.groups.get(mesh).array);
      gl.drawElements(gl.LINES, mesh.edges.length, gl.UNSIGNED_INT, mesh.triangles.byteLength);
    }
  }

  /** The buffers of a group; without a graphics card with as many copies of its shape as it needs, as long as that is not too much. */
  buffersOf(group) {
    let own = this.groups.get(group);
    const corners = group.mesh.count * group.count;
    const wanted = this.soft && group.count > 1 && corners < MOST_COPIED ? group.count : 0;
    if (own && (own.copies ? own.copies >= group.count : !wanted)) return own;
    own?.free(this.gl);
    // some more where their number changes
    own = new GlGroup(this.gl, group.mesh, wanted && Math.max(wanted, own ? Math.ceil(1.5 * wanted) : 0));
    this.groups.set(group, own);
    return own;
  }

  drawLines(lines, camera) {
    if (lines.count === 0) return;
    const { gl, line } = this;
    gl.useProgram(line.program);
    gl.uniformMatrix4fv(line.uniforms.viewProjection, false, camera.viewProjection);
    // a line's width is in CSS pixels; half of it to either side, in clip units of 2 a picture
    gl.uniform2f(line.uniforms.size, camera.width, camera.height);
    gl.uniform1f(line.uniforms.near, camera.near);
    gl.bindVertexArray(this.lines);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.stretches);
    if (this.stretchCapacity < lines.data.length) {
      this.stretchCapacity = lines.data.length;
      gl.bufferData(gl.ARRAY_BUFFER, 4 * this.stretchCapacity, gl.DYNAMIC_DRAW);
    }
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, lines.data, 0, lines.count * STRETCH);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, lines.count);
  }
}
