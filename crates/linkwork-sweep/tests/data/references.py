"""Numbers that the tests of linkwork-sweep compare with: points of scipy, and indices of SALib on the same samples.

    pip install scipy SALib && python references.py

Made with scipy 1.17.1 and SALib (versions are printed).
"""

import numpy as np
import SALib
import scipy
from SALib.analyze import sobol
from scipy.stats import qmc

print("scipy", scipy.__version__, "SALib", getattr(SALib, "__version__", ""))

# points n of 128 dimensions, without scrambling: number, then every coordinate as an integer times 2**-30
points = qmc.Sobol(128, scramble=False).random(4096)
with open("sobol.csv", "w") as out:
    for n in [0, 1, 2, 3, 5, 64, 100, 1023, 2048, 4095]:
        digits = points[n] * 2.0**30
        assert (digits == np.round(digits)).all()
        out.write(",".join(str(int(x)) for x in [n, *digits]) + "\n")

# Saltelli's design of 3 parameters from Sobol points in 6 dimensions, in SALib's order: A, A with a column of B each, B
N, d = 4096, 3
base = qmc.Sobol(2 * d, scramble=False).random(N)
rows = []
for point in base:
    a, b = point[:d], point[d:]
    rows.append(a)
    for j in range(d):
        mixed = a.copy()
        mixed[j] = b[j]
        rows.append(mixed)
    rows.append(b)
x = -np.pi + 2 * np.pi * np.array(rows)
y = np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])
problem = {"num_vars": d, "names": ["x1", "x2", "x3"], "bounds": [[-np.pi, np.pi]] * d}
found = sobol.analyze(problem, y, calc_second_order=False)
print("S1", [repr(float(v)) for v in found["S1"]])
print("ST", [repr(float(v)) for v in found["ST"]])

# closed form [ishigami1990]: a = 7, b = 0.1
a, b = 7, 0.1
V = a**2 / 8 + b * np.pi**4 / 5 + b**2 * np.pi**8 / 18 + 0.5
V1, V2, V13 = 0.5 * (1 + b * np.pi**4 / 5) ** 2, a**2 / 8, 8 * b**2 * np.pi**8 / 225
print("closed S1", [V1 / V, V2 / V, 0.0], "ST", [(V1 + V13) / V, V2 / V, V13 / V])
