"""Figures of a motion that no participant has a say in: penetration, energy, creep, from poses alone.

Penetration is the deepest contact that MuJoCo's collision detection finds when its bodies are put where a participant had them. Spheres, planes and the
corners of boxes on planes are measured once more by formulas of our own: a disagreement is told.
"""

import mujoco
import numpy as np

from scene import matrix


class Checker:
    def __init__(self, scene):
        self.scene = scene
        self.model = mujoco.MjModel.from_xml_string(scene.as_mjcf())
        self.data = mujoco.MjData(self.model)
        moving = scene.movers
        self.bodies = moving
        self.mass = np.array([b.mass for b in moving])
        self.free = np.array([b.kind == "free" for b in moving])
        self.inertia = np.array([b.inertia() for b in moving])
        # MuJoCo's bodies in the order of the scene; a mesh has its own principal axes, which the compiler accounts for
        self.ids = np.arange(1, len(moving) + 1)

    def penetration(self, poses):
        """Deepest penetration, m, by MuJoCo's geometry."""
        d, m = self.data, self.model
        mujoco.mj_kinematics(m, d)
        for i, pose in zip(self.ids, poses):
            d.xpos[i] = pose[:3]
            d.xquat[i] = pose[3:7]
            d.xmat[i] = matrix(pose[3:7]).ravel()
        for g in range(m.ngeom):
            b = m.geom_bodyid[g]
            if b:
                r = d.xmat[b].reshape(3, 3)
                d.geom_xpos[g] = d.xpos[b] + r @ m.geom_pos[g]
                d.geom_xmat[g] = (r @ matrix(m.geom_quat[g])).ravel()
                d.xipos[b] = d.xpos[b] + r @ m.body_ipos[b]
                d.ximat[b] = (r @ matrix(m.body_iquat[b])).ravel()
        mujoco.mj_collision(m, d)
        return max(0.0, -float(d.contact.dist.min())) if d.ncon else 0.0

    def by_formulas(self, poses):
        """The same for planes with spheres and boxes, and for pairs of spheres."""
        deepest = 0.0
        for plane in self.scene.planes:
            n = np.array(plane.normal, float) / np.linalg.norm(plane.normal)
            for body, pose in zip(self.bodies, poses):
                if body.kind != "free":
                    continue
                height = (np.array(pose[:3]) - plane.at) @ n
                if body.shape["type"] == "sphere":
                    deepest = max(deepest, body.shape["radius"] - height)
                elif body.shape["type"] == "box":
                    reach = abs(matrix(pose[3:7]).T @ n) @ np.array(body.shape["size"]) / 2
                    deepest = max(deepest, reach - height)
        balls = [i for i, b in enumerate(self.bodies) if b.shape["type"] == "sphere"]
        if len(balls) > 1:
            p = np.array([poses[i][:3] for i in balls])
            r = np.array([self.bodies[i].shape["radius"] for i in balls])
            for i in range(len(balls) - 1):
                deepest = max(deepest, float((r[i] + r[i + 1 :] - np.linalg.norm(p[i + 1 :] - p[i], axis=1)).max()))
        return max(0.0, deepest)

    def energy(self, poses):
        """Kinetic and potential energy of the free bodies, J."""
        p = np.array(poses)[self.free]
        mass, inertia = self.mass[self.free], self.inertia[self.free]
        g = np.array(self.scene.gravity)
        kinetic = 0.5 * float(mass @ (p[:, 7:10] ** 2).sum(axis=1))
        for pose, i in zip(p, inertia):
            w = matrix(pose[3:7]).T @ pose[10:13]
            kinetic += 0.5 * float(w @ i @ w)
        return kinetic, -float(mass @ (p[:, :3] @ g))

    def figures(self, answer):
        """All of them for a run."""
        poses = answer["poses"]
        size = self.scene.size
        depth = max(self.penetration(p) for p in poses)
        own = max(self.by_formulas(p) for p in poses)
        energies = np.array([self.energy(p) for p in poses])
        total = energies.sum(axis=1)
        lowest = np.minimum.accumulate(total)
        gain = float((total - lowest).max())
        weight = float(self.mass[self.free].sum()) * 9.81 * size
        reference = max(weight, float(energies[0, 0]))
        at = np.array(poses)[:, self.free, :3]
        late = at[int(0.75 * (len(at) - 1))]
        centre = (self.mass[self.free] @ at[-1]) / self.mass[self.free].sum()
        return {
            "penetration": depth / size,
            "penetration_by_formulas": own / size,
            "gain": gain / reference,
            "driven": bool((~self.free).any()),
            "moved": float(np.linalg.norm(at[-1] - at[0], axis=1).max()) / size,
            "creep": float(np.linalg.norm(at[-1] - late, axis=1).max()) / size,
            "centre": [float(x) for x in centre],
            "last_speed": float(np.linalg.norm(np.array(poses[-1])[self.free, 7:10], axis=1).max()),
        }
