"""Makes finite elements for a modal body: an L-shaped bracket of 20-node hexahedra, its matrices, and figures to compare with.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy scipy
    /tmp/venv/bin/python studies/modal_body.py crates/linkwork/tests/data/modal_bodies

It writes `bracket_K.mtx`, `bracket_M.mtx` (Matrix Market, symmetric), `bracket.inp` (nodes, elements, sets and material as CalculiX and Abaqus write them), and
`figures.json`: frequencies of the full model, free and clamped, static deflections under weight and under a load, and stresses at some nodes under that load, all by scipy. The tests
compare the reduced body with these.

With CalculiX (Debian: `apt install calculix-ccx`) the same bracket comes from its elements, `C3D20`:

    /tmp/venv/bin/python studies/modal_body.py --calculix FOLDER

writes `job.inp`, which ends in `*FREQUENCY, SOLVER=MATRIXSTORAGE`, runs `ccx job`, and the model file `job.toml` that takes what it leaves: `stiffness = "job.sti"`,
`mass = "job.mas"`, `dofs = "job.dof"`, `nodes = "job.inp"`. It compares both matrices with its own, and stresses at all nodes under the load, of elements `C3D20R`, with those that it
recovers itself.

    /tmp/venv/bin/python studies/modal_body.py --block FOLDER

makes the matrices of the block of two `C3D8` elements of the tests by CalculiX, and `brick.json`: stresses at its nodes under a load at node 9 while nodes 1 to 4 are held, by CalculiX.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh, splu

YOUNG, POISSON, DENSITY = 2.1e11, 0.3, 7850.0
WIDTH, THICK, LONG, HIGH = 0.04, 0.01, 0.16, 0.12  # m

# corners, then the middles of edges, of the 20-node element in its own coordinates
CORNERS = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
LOCAL = np.array(CORNERS + [tuple((np.array(CORNERS[a]) + CORNERS[b]) // 2) for a, b in EDGES], float)


def shape(at):
    """Serendipity functions of the 20-node hexahedron and their derivatives."""
    values, slopes = np.zeros(20), np.zeros((20, 3))
    for k, node in enumerate(LOCAL):
        f = 1 + node * at
        if k < 8:
            s = node @ at - 2
            values[k] = f.prod() * s / 8
            for c in range(3):
                others = np.delete(f, c).prod()
                slopes[k, c] = (node[c] * others * s + f.prod() * node[c]) / 8
        else:
            m = int(np.flatnonzero(node == 0)[0])
            bubble = 1 - at[m] ** 2
            rest = np.delete(f, m).prod()
            values[k] = bubble * rest / 4
            for c in range(3):
                if c == m:
                    slopes[k, c] = -2 * at[m] * rest / 4
                else:
                    other = [d for d in range(3) if d not in (m, c)][0]
                    slopes[k, c] = bubble * node[c] * f[other] / 4
    return values, slopes


def gauss(n):
    x, w = np.polynomial.legendre.leggauss(n)
    return [(np.array([x[i], x[j], x[k]]), w[i] * w[j] * w[k]) for i in range(n) for j in range(n) for k in range(n)]


def lame(young=YOUNG, poisson=POISSON):
    return young * poisson / (1 + poisson) / (1 - 2 * poisson), young / 2 / (1 + poisson)


def element(x, points=3):
    """Stiffness and mass of one element; three points a direction are exact for a brick."""
    first, shear = lame()
    law = np.diag([2 * shear] * 3 + [shear] * 3)
    law[:3, :3] += first
    stiffness, mass = np.zeros((60, 60)), np.zeros((20, 20))
    for at, weight in gauss(points):
        values, slopes = shape(at)
        jacobian = slopes.T @ x
        volume = weight * np.linalg.det(jacobian)
        by = slopes @ np.linalg.inv(jacobian).T
        strain = np.zeros((6, 60))
        for k in range(20):
            dx, dy, dz = by[k]
            strain[:, 3 * k : 3 * k + 3] = [[dx, 0, 0], [0, dy, 0], [0, 0, dz], [dy, dx, 0], [0, dz, dy], [dz, 0, dx]]
        stiffness += volume * strain.T @ law @ strain
        mass += volume * DENSITY * np.outer(values, values)
    return stiffness, mass


def bracket():
    """Nodes and elements: a foot along x, a leg up along z, THICK thick, WIDTH wide."""
    xs = np.concatenate([[0.0, THICK], np.linspace(THICK, LONG, 4)[1:]])
    zs = np.concatenate([[0.0, THICK], np.linspace(THICK, HIGH, 3)[1:]])
    ys = np.linspace(0, WIDTH, 2)
    nodes, index, elements = [], {}, []

    def node(x):
        key = tuple(np.round(x, 9))
        if key not in index:
            index[key] = len(nodes)
            nodes.append(key)
        return index[key]

    for i in range(len(xs) - 1):
        for k in range(len(zs) - 1):
            if i > 0 and k > 0:
                continue  # neither foot nor leg
            for j in range(len(ys) - 1):
                low = np.array([xs[i], ys[j], zs[k]])
                size = np.array([xs[i + 1], ys[j + 1], zs[k + 1]]) - low
                elements.append([node(low + size * (at + 1) / 2) for at in LOCAL])
    return np.array(nodes), np.array(elements)


def assemble(nodes, elements):
    n = 3 * len(nodes)
    rows, columns, k_values, m_values = [], [], [], []
    for own in elements:
        stiffness, mass = element(nodes[own])
        dofs = (3 * own[:, None] + np.arange(3)).ravel()
        rows.append(np.repeat(dofs, 60))
        columns.append(np.tile(dofs, 60))
        k_values.append(stiffness.ravel())
        m_values.append(np.kron(mass, np.eye(3)).ravel())
    where = (np.concatenate(rows), np.concatenate(columns))
    pack = lambda values: sparse.csc_matrix((np.concatenate(values), where), shape=(n, n))
    return pack(k_values), pack(m_values)


def rounded(matrix):
    """Entries of the lower triangle with thirteen digits, so that the figures are those of the files: bending is soft beside the largest entries."""
    low = sparse.tril(matrix).tocoo()
    largest = abs(low.data).max()
    keep = abs(low.data) > 1e-13 * largest
    return low.row[keep], low.col[keep], np.array([float(f"{v:.13g}") for v in low.data[keep]])


def stresses(nodes, elements, displacements):
    """Stresses xx, yy, zz, xy, xz, yz at all nodes: from the eight points of reduced integration to the corners, middles of edges as means, means over elements."""
    first, shear = lame()
    sum_, count = np.zeros((len(nodes), 6)), np.zeros(len(nodes))
    corners, near = LOCAL[:8], 1 / np.sqrt(3)
    weights = np.prod((1 + corners[:, None] * corners[None] / near) / 2, axis=2)
    for own in elements:
        sampled = []
        for at in corners * near:
            _, slopes = shape(at)
            by = slopes @ np.linalg.inv(slopes.T @ nodes[own]).T
            gradient = displacements.reshape(-1, 3)[own].T @ by
            strain = (gradient + gradient.T) / 2
            s = first * np.trace(strain) * np.eye(3) + 2 * shear * strain
            sampled.append([s[0, 0], s[1, 1], s[2, 2], s[0, 1], s[0, 2], s[1, 2]])
        at_corners = weights @ np.array(sampled)
        sum_[own] += np.vstack([at_corners, [(at_corners[a] + at_corners[b]) / 2 for a, b in EDGES]])
        count[own] += 1
    return sum_ / count[:, None]


def write_market(path, triplets, n, what):
    rows, columns, values = triplets
    with open(path, "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate real symmetric\n% {what}\n{n} {n} {len(values)}\n")
        out.writelines(f"{i + 1} {j + 1} {v:.13g}\n" for i, j, v in zip(rows, columns, values))


def write_nodes(path, nodes, sets):
    with open(path, "w") as out:
        out.write("*HEADING\nL-shaped bracket of 20-node hexahedra, m\n*NODE, NSET=ALL\n")
        out.writelines(f"{k + 1}, {x:.9g}, {y:.9g}, {z:.9g}\n" for k, (x, y, z) in enumerate(nodes))
        for name, members in sets.items():
            out.write(f"*NSET, NSET={name}\n")
            for i in range(0, len(members), 10):
                out.write(", ".join(str(k + 1) for k in members[i : i + 10]) + "\n")


def write_elements(out, elements, kind):
    out.write(f"*ELEMENT, TYPE={kind}, ELSET=SOLID\n")
    for e, own in enumerate(elements):
        numbers = [e + 1] + [k + 1 for k in own]
        out.write(", ".join(map(str, numbers[:11])) + ",\n" + ", ".join(map(str, numbers[11:])) + "\n")
    out.write(f"*MATERIAL, NAME=STEEL\n*ELASTIC\n{YOUNG:g}, {POISSON:g}\n*DENSITY\n{DENSITY:g}\n*SOLID SECTION, ELSET=SOLID, MATERIAL=STEEL\n")


def frequencies(stiffness, mass, count, shift):
    values = eigsh(stiffness, count, mass, sigma=shift, which="LM", return_eigenvectors=False, tol=1e-12)
    return np.sqrt(np.clip(np.sort(values), 0, None)) / (2 * np.pi)


def held(stiffness, mass, nodes, fixed):
    """Degrees of freedom left when some nodes are fixed."""
    gone = (3 * np.array(fixed)[:, None] + np.arange(3)).ravel()
    kept = np.setdiff1d(np.arange(stiffness.shape[0]), gone)
    return kept, stiffness[kept][:, kept].tocsc(), mass[kept][:, kept].tocsc()


def rigid_group(nodes, group, n):
    """Columns by which a group of nodes moves as a rigid flange about its middle."""
    middle = nodes[group].mean(axis=0)
    motion = np.zeros((n, 6))
    for k in group:
        d = nodes[k] - middle
        motion[3 * k : 3 * k + 3, :3] = np.eye(3)
        motion[3 * k : 3 * k + 3, 3:] = [[0, d[2], -d[1]], [-d[2], 0, d[0]], [d[1], -d[0], 0]]
    return middle, motion


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    nodes, elements = bracket()
    stiffness, mass = assemble(nodes, elements)
    n = stiffness.shape[0]
    lower = [rounded(stiffness), rounded(mass)]
    write_market(folder / "bracket_K.mtx", lower[0], n, "stiffness of the bracket, N/m")
    write_market(folder / "bracket_M.mtx", lower[1], n, "mass of the bracket, kg")
    again = lambda t: sparse.csc_matrix((np.concatenate([t[2], t[2][t[0] != t[1]]]),
        (np.concatenate([t[0], t[1][t[0] != t[1]]]), np.concatenate([t[1], t[0][t[0] != t[1]]]))), shape=(n, n))
    stiffness, mass = again(lower[0]), again(lower[1])
    clamp = np.flatnonzero(np.isclose(nodes[:, 2], HIGH))  # top of the leg
    tip = np.flatnonzero(np.isclose(nodes[:, 0], LONG))  # end of the foot
    write_nodes(folder / "bracket.inp", nodes, {"CLAMP": clamp, "TIP": tip})
    with open(folder / "bracket.inp", "a") as out:
        write_elements(out, elements, "C3D20")

    total = mass.sum() / 3
    free = frequencies(stiffness, mass, 16, -1e4)[6:]
    # the two flanges are rigid in the reduced body: so they are here
    clamp_at, _ = rigid_group(nodes, clamp, n)
    tip_at, motion = rigid_group(nodes, tip, n)
    others = np.setdiff1d(np.arange(n), (3 * np.concatenate([clamp, tip])[:, None] + np.arange(3)).ravel())
    basis = sparse.hstack([sparse.eye(n, format="csc")[:, others], sparse.csc_matrix(motion)]).tocsc()
    k_held, m_held = (basis.T @ stiffness @ basis).tocsc(), (basis.T @ mass @ basis).tocsc()
    clamped = frequencies(k_held, m_held, 10, 0)
    solve = splu(k_held).solve
    gravity = np.tile([0, 0, -9.81], n // 3)
    under_weight = basis @ solve(basis.T @ (mass @ gravity))
    load = np.zeros(k_held.shape[0])
    load[-6 + 1] = 50.0  # N along y at the middle of the tip
    under_load = basis @ solve(load)
    _, clamp_motion = rigid_group(nodes, clamp, n)
    free_basis = sparse.hstack([sparse.eye(n, format="csc")[:, others], sparse.csc_matrix(np.hstack([clamp_motion, motion]))]).tocsc()
    free_flanges = frequencies((free_basis.T @ stiffness @ free_basis).tocsc(), (free_basis.T @ mass @ free_basis).tocsc(), 16, -1e4)[6:]
    middle = lambda u: u.reshape(-1, 3)[tip].mean(axis=0).tolist()
    figures = {
        "nodes": len(nodes),
        "mass_kg": total,
        "clamp_at_m": clamp_at.tolist(),
        "tip_at_m": tip_at.tolist(),
        "free_hz": free.tolist(),
        "free_with_rigid_flanges_hz": free_flanges.tolist(),
        "clamped_hz": clamped.tolist(),
        "tip_under_weight_m": middle(under_weight),
        "tip_under_50_n_along_y_m": middle(under_load),
        # numbers of nodes, and their stresses under 50 N along y at the tip
        "stress_under_50_n_along_y_pa": {str(k + 1): stresses(nodes, elements, under_load)[k].tolist() for k in [0, 29, 33, 49, 69]},
    }
    (folder / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures, indent=2))


def calculix(folder):
    """The same bracket by CalculiX."""
    folder.mkdir(parents=True, exist_ok=True)
    nodes, elements = bracket()
    sets = {"CLAMP": np.flatnonzero(np.isclose(nodes[:, 2], HIGH)), "TIP": np.flatnonzero(np.isclose(nodes[:, 0], LONG))}
    write_nodes(folder / "job.inp", nodes, sets)
    with open(folder / "job.inp", "a") as out:
        write_elements(out, elements, "C3D20")
        out.write("*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n10\n*END STEP\n")
    subprocess.run(["ccx", "job"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    stiffness, mass = assemble(nodes, elements)
    rows = np.array([[int(x) for x in line.split(".")] for line in open(folder / "job.dof").read().split()])
    place = 3 * (rows[:, 0] - 1) + rows[:, 1] - 1
    for name, own in [("sti", stiffness), ("mas", mass)]:
        i, j, v = np.loadtxt(folder / f"job.{name}").T
        low = sparse.coo_matrix((v, (place[i.astype(int) - 1], place[j.astype(int) - 1])), shape=own.shape)
        theirs = (low + low.T - sparse.diags((low.tocsc()).diagonal())).tocsc()
        print(f"job.{name}: differs by {abs(theirs - own).max() / abs(own).max():.1e} of the largest entry")
    static(folder, nodes, elements, sets)
    (folder / "job.toml").write_text(
        """format = 1
model = { name = "bracket by CalculiX", dimension = 3, gravity = "-z" }
[modal_bodies]
bracket = { stiffness = "job.sti", mass = "job.mas", dofs = "job.dof", nodes = "job.inp", interface = { clamp = "CLAMP", tip = "TIP" }, modes = 10 }
[bodies]
ground = { points = ["clamp"] }
[joints]
wall = { type = "fixed", bodies = ["ground", "bracket/clamp"], at = "clamp" }
"""
    )


def results(file):
    """Displacements and stresses at nodes of CalculiX's `.frd`; stresses as xx, yy, zz, xy, xz, yz."""
    found, block = {}, None
    for line in open(file):
        if line.startswith(" -4"):
            block = found.setdefault(line[5:11].strip(), {})
        elif line.startswith(" -3"):
            block = None
        elif line.startswith(" -1") and block is not None:
            values = line.rstrip()[13:]
            block[int(line[3:13])] = [float(values[12 * i : 12 * i + 12]) for i in range(len(values) // 12)]
    stress = {k: [v[i] for i in (0, 1, 2, 3, 5, 4)] for k, v in found["STRESS"].items()}
    return found["DISP"], stress


def static(folder, nodes, elements, sets):
    """Stresses under 50 N along y at the rigid tip, by CalculiX with `C3D20R` and by `stresses` from CalculiX's stiffness at the same points."""
    write_nodes(folder / "static.inp", nodes, sets)
    at = ", ".join(map(str, nodes[sets["TIP"]].mean(axis=0)))
    with open(folder / "static.inp", "a") as out:
        out.write(f"*NODE\n9001, {at}\n9002, {at}\n")
        write_elements(out, elements, "C3D20R")
        out.write("*RIGID BODY, NSET=TIP, REF NODE=9001, ROT NODE=9002\n*BOUNDARY\nCLAMP, 1, 3\n*STEP\n*STATIC\n*CLOAD\n9001, 2, 50.\n")
        out.write("*NODE FILE\nU\n*EL FILE\nS\n*END STEP\n")
    subprocess.run(["ccx", "static"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    _, theirs = results(folder / "static.frd")
    theirs = np.array([theirs[k + 1] for k in range(len(nodes))])
    n = 3 * len(nodes)
    stiffness = np.zeros((n, n))
    for own in elements:
        dofs = (3 * own[:, None] + np.arange(3)).ravel()
        stiffness[np.ix_(dofs, dofs)] += element(nodes[own], points=2)[0]
    _, motion = rigid_group(nodes, sets["TIP"], n)
    gone = (3 * np.concatenate([sets["CLAMP"], sets["TIP"]])[:, None] + np.arange(3)).ravel()
    basis = np.hstack([np.eye(n)[:, np.setdiff1d(np.arange(n), gone)], motion])
    load = np.zeros(basis.shape[1])
    load[-5] = 50.0
    ours = stresses(nodes, elements, basis @ np.linalg.lstsq(basis.T @ stiffness @ basis, load, rcond=1e-12)[0])
    print(f"stresses of C3D20R under a load differ by {abs(ours - theirs).max() / abs(theirs).max():.1e} of the largest")


BLOCK = """*HEADING
a steel block of two C3D8 elements, mm, N, t; its matrices come from CalculiX
*NODE, NSET=ALL
{nodes}
*NSET, NSET=TOP, GENERATE
9, 12, 1
*ELEMENT, TYPE=C3D8, ELSET=ALL
1, 1, 2, 3, 4, 5, 6, 7, 8
2, 5, 6, 7, 8, 9, 10, 11, 12
*MATERIAL, NAME=STEEL
*ELASTIC
210000, 0.3
*DENSITY
7.85E-9
*SOLID SECTION, ELSET=ALL, MATERIAL=STEEL
"""


def block(folder):
    """The block of the tests, its matrices and its stresses under a load, by CalculiX."""
    folder.mkdir(parents=True, exist_ok=True)
    places = [(x, y, z) for z in (0, 30, 60) for x, y in ((0, 0), (20, 0), (20, 10), (0, 10))]
    text = BLOCK.format(nodes="\n".join(f"{k + 1}, {x}, {y}, {z}" for k, (x, y, z) in enumerate(places)))
    (folder / "brick.inp").write_text(text + "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n4\n*END STEP\n")
    load = "9, 1, 100.\n9, 2, -50.\n9, 3, 30.\n"
    (folder / "static.inp").write_text(
        f"{text}*NSET, NSET=BASE\n1, 2, 3, 4\n*STEP\n*STATIC\n*BOUNDARY\nBASE, 1, 3\n*CLOAD\n{load}*NODE FILE\nU\n*EL FILE\nS\n*END STEP\n"
    )
    for job in ("brick", "static"):
        subprocess.run(["ccx", job], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    moved, stress = results(folder / "static.frd")
    figures = {
        "load_at_node_9_n": [100.0, -50.0, 30.0],
        "node_9_moves_mm": moved[9],
        "stress_mpa": {str(k): stress[k] for k in (1, 5, 6, 9, 11)},
    }
    (folder / "brick.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    if sys.argv[1] == "--block":
        block(Path(sys.argv[2]))
    elif sys.argv[1] == "--calculix":
        calculix(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
