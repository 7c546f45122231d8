"""The same problems on DOLFINx: forms in UFL, compiled by FFCx, on the mesh that it is handed.

Apart from everything else and without imports of this package, because it also runs as a program of an interpreter
that has DOLFINx and little more (`python dolfinx_program.py < problem.json > fields.json`). It shares no line with the
scikit-fem engine: coefficients, boundary marks, tangent (by symbolic differentiation) and time steps are its own.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

SIGMA = 5.670374419e-8
EXACT = {"quadrature_degree": 5}
CENTROID = {"quadrature_degree": 1}


def solve_payload(payload: dict[str, Any]) -> dict[str, Any]:
    """Solve a problem given as JSON values with mesh points and cells; return nodal temperatures."""
    model = Model(payload)
    return model.steady() if payload["kind"] == "steady" else model.transient()


class Model:
    """A problem on a DOLFINx mesh with linear elements."""

    def __init__(self, payload: dict[str, Any]) -> None:
        _import_wheel()
        import ufl  # type: ignore[import-not-found]
        from dolfinx import fem  # type: ignore[import-not-found]

        self.ask, self.points = payload, np.asarray(payload["points"])
        self.mesh = _mesh(self.points, np.asarray(payload["cells"], dtype=np.int64))
        make_space = getattr(fem, "functionspace", None) or fem.FunctionSpace
        self.space = make_space(self.mesh, ("Lagrange" if hasattr(fem, "functionspace") else "CG", 1))
        self.test, self.trial = ufl.TestFunction(self.space), ufl.TrialFunction(self.space)
        self.temperature = fem.Function(self.space)
        self.ds = ufl.Measure("ds", domain=self.mesh, subdomain_data=self._marks(), metadata=EXACT)
        self.dx = ufl.Measure("dx", domain=self.mesh, metadata=EXACT)
        self.order = self._order()

    def _order(self) -> Any:
        """For each given point, the degree of freedom that lies on it."""
        places = self.space.tabulate_dof_coordinates()[:, :2]
        far = np.abs(places[None, :, :] - self.points.T[:, None, :]).max(axis=2)
        assert float(far.min(axis=1).max()) < 1e-10
        return far.argmin(axis=1)

    def _marks(self) -> Any:
        """Tags of the boundary: 1 left, 2 the rest, 3 and on the heated segments."""
        from dolfinx import mesh as meshes

        ask, found = self.ask, {}
        facets = meshes.exterior_facet_indices(self.mesh.topology) if self._connect() else []
        for facet in facets:
            x, y = self._middle(facet)
            found[int(facet)] = 1 if x < 1e-9 else 2
            for number, segment in enumerate(ask["segments"]):
                along, across, edge = {"bottom": (x, y, 0.0), "top": (x, y, ask["height"])}.get(
                    segment["edge"], (y, x, ask["width"])
                )
                if abs(across - edge) < 1e-9 and segment["start"] < along < segment["stop"]:
                    found[int(facet)] = 3 + number
        order = np.array(sorted(found), dtype=np.int32)
        return meshes.meshtags(self.mesh, 1, order, np.array([found[int(f)] for f in order], dtype=np.int32))

    def _connect(self) -> bool:
        for pair in ((1, 2), (2, 1), (1, 0)):
            self.mesh.topology.create_connectivity(*pair)
        return True

    def _middle(self, facet: int) -> tuple[float, float]:
        from dolfinx import mesh as meshes

        x, y, _ = meshes.compute_midpoints(*self._entities(facet))[0]
        return float(x), float(y)

    def _entities(self, facet: int) -> tuple[Any, ...]:
        return self.mesh, 1, np.array([facet], dtype=np.int32)

    # ---- forms

    def _constant(self, value: float) -> Any:
        from dolfinx import fem

        return fem.Constant(self.mesh, float(value))

    def _convected(self, temperature: Any) -> Any:
        """Heat lost by convection, tested."""
        edges, test = self.ask["exchange"], self.test
        lost = edges["left"] * (temperature - edges["coolant"]) * test * self.ds(1)
        for tag in self._open():
            lost += edges["air"] * (temperature - edges["ambient"]) * test * self.ds(tag)
        return lost

    def _radiated(self, temperature: Any) -> Any:
        """Heat lost by radiation, tested."""
        edges = self.ask["exchange"]
        density = edges["emissivity"] * SIGMA * (temperature**4 - edges["ambient"] ** 4)
        return sum(density * self.test * self.ds(tag) for tag in self._open())

    def _open(self) -> list[int]:
        return [2, *range(3, 3 + len(self.ask["segments"]))]

    def _conductivity(self, temperature: Any) -> Any:
        law, t = self.ask["law"], (temperature - 300.0) / 100
        if law["kind"] == "rising":
            return law["k0"] * (1 + law["a"] * t)
        if law["kind"] == "falling":
            return law["k0"] / (1 + law["a"] * t)
        return law["k0"] * (1 - law["a"] * t + law["b"] * t**2)

    def _factor(self) -> Any:
        """Conductivity factor by element: that of the patch where the centroid lies in it."""
        from dolfinx import fem

        make_space = getattr(fem, "functionspace", None) or fem.FunctionSpace
        factor = fem.Function(make_space(self.mesh, ("DG", 0)))
        patch = self.ask["patch"]
        x, y = factor.function_space.tabulate_dof_coordinates()[:, :2].T
        within = (x > patch["left"]) & (x < patch["right"]) & (y > patch["low"]) & (y < patch["high"])
        factor.x.array[:] = np.where(within, patch["factor"], 1.0)
        return factor

    def _source(self) -> Any:
        from dolfinx import fem

        source, heat = self.ask["source"], fem.Function(self.space)
        x, y = self.space.tabulate_dof_coordinates()[:, :2].T
        square = (x - source["x"]) ** 2 + (y - source["y"]) ** 2
        heat.x.array[:] = source["peak"] * np.exp(-square / (2 * source["width"] ** 2))
        return heat

    # ---- solving

    def steady(self) -> dict[str, Any]:
        """Newton's iteration with the symbolic tangent."""
        import ufl
        from dolfinx import fem

        now, test = self.temperature, self.test
        k = self._conductivity(now) * (self._factor() if self.ask["patch"] else 1.0)
        residual = k * ufl.inner(ufl.grad(now), ufl.grad(test)) * ufl.dx(metadata=CENTROID)
        residual += self._convected(now) + self._radiated(now)
        for number, flux in enumerate(self.ask["fluxes"]):
            residual -= self._constant(flux) * test * self.ds(3 + number)
        if self.ask["source"]:
            residual -= self._source() * test * self.dx
        form, tangent = fem.form(residual), fem.form(ufl.derivative(residual, now, self.trial))
        now.x.array[:] = 600.0
        for _ in range(60):
            step = _solve(fem.assemble_matrix(tangent), -_vector(form))
            now.x.array[:] += np.clip(step, -250.0, 250.0)
            if np.max(np.abs(step)) < 1e-9:
                break
        else:
            raise RuntimeError("Newton's iteration did not settle")
        return {"snapshots": [now.x.array[self.order].tolist()], "highest": now.x.array[self.order].tolist()}

    def transient(self) -> dict[str, Any]:
        """Steps that are implicit in conduction and convection, explicit in radiation and heater output."""
        import ufl
        from dolfinx import fem

        ask, now, test = self.ask, self.temperature, self.test
        now.x.array[:] = ask["exchange"]["ambient"]
        inertia = ask["heat_capacity"] * ask["steps"] / ask["stage"]
        flow = ask["conductivity"] * ufl.inner(ufl.grad(self.trial), ufl.grad(test)) * self.dx
        implicit = inertia * self.trial * test * self.dx + flow + self._convected(self.trial)
        implicit += sum(ask["damping"] * (self.trial - now) * test * self.ds(tag) for tag in self._open())
        left, right = ufl.lhs(implicit), inertia * now * test * self.dx - self._radiated(now) + ufl.rhs(implicit)
        outputs = [self._constant(0.0) for _ in ask["segments"]]
        right += sum(output * test * self.ds(3 + number) for number, output in enumerate(outputs))
        matrix, form = fem.assemble_matrix(fem.form(left)), fem.form(right)
        means = [fem.form(now * self.ds(3 + number)) for number in range(len(outputs))]
        highest, snapshots = now.x.array.copy(), []
        for step, levels in enumerate(ask["schedule"], start=1):
            self._set_outputs(outputs, levels, [float(fem.assemble_scalar(mean)) for mean in means])
            now.x.array[:] = _solve(matrix, _vector(form))
            highest = np.maximum(highest, now.x.array)
            if step % ask["steps"] == 0:
                snapshots.append(now.x.array[self.order].tolist())
        return {"snapshots": snapshots, "highest": highest[self.order].tolist()}

    def _set_outputs(self, outputs: list[Any], levels: list[float], means: list[float]) -> None:
        for output, level, mean, segment in zip(outputs, levels, means, self.ask["segments"], strict=True):
            excess = mean / (segment["stop"] - segment["start"]) - self.ask["exchange"]["ambient"]
            output.value = level * max(0.0, 1 - self.ask["derating"] * excess)


def _import_wheel() -> None:
    """The wheel of PyPI has to be imported by its own name first; Debian's package has no such name."""
    import contextlib

    with contextlib.suppress(ImportError):
        import dolfinx_solver  # type: ignore[import-not-found]  # noqa: F401


def _mesh(points: Any, cells: Any) -> Any:
    """Make a DOLFINx mesh of the given points (2, n) and cells (3, e)."""
    import inspect

    from dolfinx import mesh as meshes
    from mpi4py import MPI  # type: ignore[import-not-found]

    x, topology = np.ascontiguousarray(points.T), np.ascontiguousarray(cells.T)
    if hasattr(meshes, "ufl_mesh_from_gmsh") or "domain" in inspect.signature(meshes.create_mesh).parameters:
        import ufl

        element = ufl.Mesh(ufl.VectorElement("Lagrange", ufl.Cell("triangle"), 1))
        return meshes.create_mesh(MPI.COMM_SELF, topology, x, element)
    import basix.ufl  # type: ignore[import-not-found]

    element = basix.ufl.element("Lagrange", "triangle", 1, shape=(2,))
    return meshes.create_mesh(MPI.COMM_SELF, topology, element, x)


def _vector(form: Any) -> Any:
    from dolfinx import fem

    made = fem.assemble_vector(form)
    return np.array(made.array)


def _solve(matrix: Any, right_side: Any) -> Any:
    from scipy.sparse import csr_matrix
    from scipy.sparse.linalg import spsolve

    size = len(right_side)
    return spsolve(csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=(size, size)).tocsc(), right_side)


if __name__ == "__main__":
    json.dump(solve_payload(json.load(sys.stdin)), sys.stdout)
