"""Studies a wheel suspension: how do camber and toe change over the travel of the wheel?"""

import linkwork as lw
import numpy as np

mechanism = lw.examples["suspension"].assemble()
print(mechanism)
print("measures:", ", ".join(mechanism.measures))

# %%
# The driver moves the wheel through its travel; measures are columns.
run = mechanism.simulate()
measures = run.select("measure.*")
for name, values in measures.items():
    print(f"{name:24} {np.min(values):10.4f} .. {np.max(values):10.4f} {run.unit(name)}")
assert measures and all(np.isfinite(values).all() for values in measures.values())
assert run.summary.constraint_residual < 1e-9

# %%
run.plot(*list(measures)[:3]).save("suspension.svg")
run.report("suspension.html")
