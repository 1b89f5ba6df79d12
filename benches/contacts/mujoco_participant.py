"""MuJoCo as a participant: `mujoco_participant.py SCENE.xml SCENE.json VARIANT LIMIT` runs a scene and writes an answer, as the compiled ones do."""

import json
import sys
import time

import mujoco
import numpy as np

from scene import matrix

# default: as MuJoCo comes. fine: elliptic cones, and contacts as stiff as the step allows
VARIANTS = {"default": "", "fine": 'cone="elliptic" impratio="10" iterations="200" tolerance="1e-10"'}


def main():
    mjcf, scene, variant, limit = sys.argv[1:]
    scene = json.load(open(scene))
    begun = time.thread_time()
    model = mujoco.MjModel.from_xml_path(mjcf)
    data = mujoco.MjData(model)
    if variant == "fine":
        model.geom_solref[:] = [2 * scene["step"], 1.0]
        model.geom_solimp[:, :3] = [0.99, 0.9999, 0.0001]
    movers = [b for b in scene["bodies"] if b["kind"] != "fixed"]
    for i, b in enumerate(movers, 1):
        at = model.jnt_dofadr[model.body_jntadr[i]]
        # free joints turn in axes of the body
        turn = matrix(b["rotation"]).T @ np.array(b["omega"])
        if b["kind"] == "driven":
            data.qvel[at] = max(np.linalg.norm(b["velocity"]), np.linalg.norm(b["omega"]))
        elif scene["dimension"] == 3:
            data.qvel[at : at + 3] = b["velocity"]
            data.qvel[at + 3 : at + 6] = turn
        else:
            data.qvel[at : at + 3] = [*b["velocity"][:2], b["omega"][2]]
    mujoco.mj_forward(model, data)
    answer = {"status": "finished", "setup": time.thread_time() - begun, "cpu": 0.0, "wall": 0.0, "steps": 0, "contacts": 0, "t": [], "poses": [], "own": {}}

    def poses():
        out = []
        for i in range(1, len(movers) + 1):
            velocity = np.zeros(6)
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, i, velocity, 0)
            out.append([*data.xpos[i], *data.xquat[i], *velocity[3:], *velocity[:3]])
        return out

    def sample(t):
        mujoco.mj_forward(model, data)
        answer["t"].append(t)
        answer["poses"].append([[float(x) for x in p] for p in poses()])

    sample(0.0)
    every = round(scene["output_step"] / scene["step"])
    begun = time.thread_time()
    for k in range(1, round(scene["duration"] / scene["output_step"]) + 1):
        cpu, wall = time.thread_time(), time.perf_counter()
        mujoco.mj_step(model, data, every)
        answer["cpu"] += time.thread_time() - cpu
        answer["wall"] += time.perf_counter() - wall
        answer["steps"] += every
        answer["contacts"] = max(answer["contacts"], int(data.ncon))
        sample(k * scene["output_step"])
        if data.warning.number.any() and not np.isfinite(data.qpos).all():
            answer["status"] = "failed: not finite"
            break
        if time.thread_time() - begun > float(limit):
            answer["status"] = f"cut off at t = {k * scene['output_step']:.3f} s"
            break
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
