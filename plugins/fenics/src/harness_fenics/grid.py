"""The mesh of a plate and what is assembled on it once: scikit-fem's bases, as arrays for fast repeated solves.

scikit-fem makes the mesh, the linear triangles, the quadrature and the element matrices. What changes between solves
is only the weight of each element or boundary point, so the matrices are kept by element and summed into band storage
with the weights of the day. Nodes are numbered up the columns: the half bandwidth is rows + 2. One grid per plate is
cached in a worker.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from harness_fenics.problem import Edge, Plate, Segment

Array: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.intp]

EDGE_ORDER = 5
"""Quadrature on edges is exact for T⁴ v."""


@frozen(eq=False)
class Points:
    """Quadrature points on edges: n points, two nodes each.

    Attributes:
        nodes: (n, 2) nodes that carry the point.
        values: (n, 2) their shape functions.
        weights: (n,) weights, m.
        facet: (n, 2) midpoints of the facets that the points lie on, m.
    """

    nodes: Index
    values: Array
    weights: Array
    facet: Array

    def at(self, temperature: Array) -> Array:
        """Interpolate nodal values to the points."""
        return np.asarray((self.values * temperature[self.nodes]).sum(axis=1))

    def load(self, density: Array, size: int) -> Array:
        """Integrate a density at the points against every shape function."""
        weighted = self.values * (self.weights * density)[:, None]
        return np.asarray(np.bincount(self.nodes.ravel(), weighted.ravel(), minlength=size), dtype=np.float64)


@frozen(eq=False)
class Grid:
    """A meshed plate.

    Attributes:
        points: (2, n) node coordinates, m.
        cells: (3, e) nodes of the triangles.
        stiffness: (e, 3, 3) element matrices of grad u · grad v.
        mass: (e, 3, 3) element matrices of u v.
        centres: (2, e) centroids, m.
        rim: Quadrature points of the whole boundary.
        band: Half bandwidth.
        cell_slots: (e, 3, 3) positions of the element entries in flat band storage.
        rim_slots: (n, 2, 2) positions of the boundary entries.
    """

    plate: Plate
    points: Array
    cells: Index
    stiffness: Array
    mass: Array
    centres: Array
    rim: Points
    band: int
    cell_slots: Index
    rim_slots: Index

    @property
    def size(self) -> int:
        """Number of nodes."""
        return int(self.points.shape[1])

    def banded(self, by_cell: Array, by_rim: Array) -> Array:
        """Sum element entries (e, 3, 3) and boundary weights (n,) into LAPACK's band storage."""
        edges = self.rim.values[:, :, None] * self.rim.values[:, None, :] * (self.rim.weights * by_rim)[:, None, None]
        length = (2 * self.band + 1) * self.size
        flat = np.bincount(self.cell_slots.ravel(), by_cell.ravel(), minlength=length)
        flat += np.bincount(self.rim_slots.ravel(), edges.ravel(), minlength=length)
        return np.asarray(flat.reshape(2 * self.band + 1, self.size), dtype=np.float64)

    def on_left(self) -> NDArray[np.bool_]:
        """Which boundary points lie on the left edge."""
        return np.asarray(self.rim.facet[:, 0] < 1e-9)

    def on_segment(self, segment: Segment) -> NDArray[np.bool_]:
        """Which boundary points lie on a segment."""
        along = 1 if segment.edge == "right" else 0
        inside = (self.rim.facet[:, along] > segment.start) & (self.rim.facet[:, along] < segment.stop)
        return np.asarray(inside & self._on_edge(self.rim.facet.T, segment.edge))

    def segment_nodes(self, segment: Segment) -> Index:
        """Nodes of a segment, ends included."""
        along = self.points[1 if segment.edge == "right" else 0]
        inside = (along > segment.start - 1e-9) & (along < segment.stop + 1e-9)
        return np.flatnonzero(inside & self._on_edge(self.points, segment.edge))

    def _on_edge(self, places: Array, edge: Edge) -> NDArray[np.bool_]:
        if edge == "right":
            return np.asarray(places[0] > self.plate.width - 1e-9)
        return np.asarray(places[1] < 1e-9 if edge == "bottom" else places[1] > self.plate.height - 1e-9)

    def row(self, x: float, y: float) -> tuple[Index, Array]:
        """Nodes and shape functions of a point of the plate, by the triangle that holds it."""
        column = min(int(x / self.plate.pitch), self.plate.columns - 1)
        line = min(int(y / self.plate.pitch), self.plate.rows - 1)
        right, up = x / self.plate.pitch - column, y / self.plate.pitch - line
        corner = column * (self.plate.rows + 1) + line
        beside, above = corner + self.plate.rows + 1, corner + 1
        if right >= up:
            return np.array([corner, beside, beside + 1]), np.array([1 - right, right - up, up])
        return np.array([corner, above, beside + 1]), np.array([1 - up, up - right, right])

    def value(self, nodal: Array, x: float, y: float) -> float:
        """Interpolate nodal values to a point of the plate."""
        nodes, shape = self.row(x, y)
        return float(nodal[nodes] @ shape)


def cells_of(plate: Plate) -> tuple[Array, Index]:
    """Node coordinates (2, n) and triangles (3, e) of a plate; each cell is cut along its rising diagonal."""
    x = np.arange(plate.columns + 1) * plate.pitch
    y = np.arange(plate.rows + 1) * plate.pitch
    across, up = np.meshgrid(x, y, indexing="ij")
    column, line = np.meshgrid(np.arange(plate.columns), np.arange(plate.rows), indexing="ij")
    corner = (column * (plate.rows + 1) + line).ravel()
    far = corner + plate.rows + 2
    lower = np.vstack([corner, far - 1, far])
    upper = np.vstack([corner, far, corner + 1])
    return np.vstack([across.ravel(), up.ravel()]), np.hstack([lower, upper])


@lru_cache(maxsize=16)
def grid_of(plate: Plate) -> Grid:
    """Mesh a plate and assemble what does not change between solves."""
    from skfem import Basis, BilinearForm, ElementTriP1, FacetBasis, MeshTri
    from skfem.helpers import dot, grad

    points, cells = cells_of(plate)
    mesh = MeshTri(points, cells)
    inner = Basis(mesh, ElementTriP1(), intorder=2)
    stiffness = BilinearForm(lambda u, v, w: dot(grad(u), grad(v)))
    mass = BilinearForm(lambda u, v, w: u * v)
    rim = _rim(FacetBasis(mesh, ElementTriP1(), intorder=EDGE_ORDER))
    band = plate.rows + 2
    return Grid(
        plate=plate,
        points=points,
        cells=inner.element_dofs.astype(np.intp),
        stiffness=_by_element(stiffness, inner),
        mass=_by_element(mass, inner),
        centres=points[:, inner.element_dofs].mean(axis=1),
        rim=rim,
        band=band,
        cell_slots=_slots(inner.element_dofs.T, band, points.shape[1]),
        rim_slots=_slots(rim.nodes, band, points.shape[1]),
    )


def _by_element(form: Any, basis: Any) -> Array:
    """Element matrices as (elements, 3, 3)."""
    entries = form.elemental(basis).data.reshape(3, 3, basis.nelems)
    return np.ascontiguousarray(entries.transpose(2, 1, 0))


def _slots(nodes: Index, band: int, size: int) -> Index:
    row, column = nodes[:, :, None], nodes[:, None, :]
    return np.asarray((band + row - column) * size + column, dtype=np.intp)


def _rim(basis: Any) -> Points:
    """Flatten a facet basis to points with two nodes each; the third node of the triangle has no part in them."""
    values = np.stack([np.broadcast_to(np.asarray(shape[0]), basis.dx.shape) for shape in basis.basis], axis=-1)
    nodes = np.broadcast_to(basis.element_dofs.T[:, None, :], values.shape)
    kept = np.sort(np.argsort(-values, axis=-1, kind="stable")[..., :2], axis=-1)
    middle = basis.mesh.p[:, basis.mesh.facets[:, basis.find]].mean(axis=1).T
    facet = np.broadcast_to(middle[:, None, :], (*basis.dx.shape, 2))
    return Points(
        nodes=np.take_along_axis(nodes, kept, axis=-1).reshape(-1, 2).astype(np.intp),
        values=np.take_along_axis(values, kept, axis=-1).reshape(-1, 2).astype(np.float64),
        weights=np.asarray(basis.dx).ravel(),
        facet=facet.reshape(-1, 2).astype(np.float64),
    )
