"""Axisymmetric finite elements for a thick ring: eight-node quadrilaterals on a regular grid, solved as a band.

A ring of inner radius `inner`, outer radius `outer` and thickness `height` is cut into columns and layers. Radii run
outward, heights from the front face (0) to the back face. Loads are per radian of circumference; a result is the
displacement of every node and, from it, slopes and the stresses at the two faces, linearised through the thickness as
codes for pressure vessels do it, so that they converge with the mesh where corner stresses would not.

Units: mm, N, MPa.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

POISSON = 0.3
COLUMNS, LAYERS = 24, 4
_GAUSS = np.array([-1.0, 1.0]) / np.sqrt(3.0)
_FINE = np.array([-np.sqrt(0.6), 0.0, np.sqrt(0.6)])
_FINE_WEIGHTS = np.array([5.0, 8.0, 5.0]) / 9.0
_CLAMP = 1e9


@frozen
class Shape:
    """A ring and how finely it is cut."""

    inner: float
    outer: float
    height: float
    columns: int = COLUMNS
    layers: int = LAYERS

    @property
    def width(self) -> float:
        """Radial width of a column."""
        return (self.outer - self.inner) / self.columns


@frozen
class Faces:
    """Linearised stresses of a ring at stations along the radius, MPa.

    Attributes:
        radius: stations, shape (n,), the inner edge first.
        radial: radial stress at the front and the back face, shape (n, 2).
        hoop: circumferential stress at the front and the back face, shape (n, 2).
    """

    radius: Array
    radial: Array
    hoop: Array

    @property
    def equivalent(self) -> Array:
        """Von Mises stress of each station and face for plane stress, shape (n, 2)."""
        found: Array = np.sqrt(self.radial**2 - self.radial * self.hoop + self.hoop**2)
        return found


class Ring:
    """A ring under load: put stiffness and loads on it, then solve.

    Args:
        shape: Geometry and mesh.
        modulus: Young's modulus of each column, MPa, shape (columns,).
        poisson: Poisson's ratio.
    """

    def __init__(self, shape: Shape, modulus: Array, poisson: float = POISSON) -> None:
        self.shape, self._modulus, self._poisson = shape, np.asarray(modulus, dtype=float), poisson
        self._grid = _grid(shape.columns, shape.layers)
        self._points = [[_strains(shape, float(place), float(level)) for level in _GAUSS] for place in _GAUSS]
        self._band = self._assembled()
        self._load = np.zeros(self._grid.size)

    # ---- loads and supports

    def press(self, start: float, stop: float, pressure: float, back: bool = False) -> None:
        """Put an axial pressure on a ring of a face; positive pushes along the height, from front to back."""
        shape, load = self.shape, self._load
        edges = shape.inner + shape.width * np.arange(shape.columns + 1)
        low, high = np.maximum(edges[:-1], start), np.minimum(edges[1:], stop)
        touched = np.flatnonzero(high > low)
        half = ((high - low) / 2)[touched, None]
        radius = ((high + low) / 2)[touched, None] + half * _FINE
        shares = _line(2 * (radius - edges[touched, None]) / shape.width - 1)  # (3, touched, points)
        nodes = (self._grid.back if back else self._grid.front)[touched]
        np.add.at(load, 2 * nodes.T + 1, (shares * (pressure * half * _FINE_WEIGHTS * radius)).sum(axis=2))

    def pull_bore(self, force: float) -> None:
        """Pull evenly on the inner edge along the height with a force per radian."""
        self._load[2 * self._grid.bore + 1] += force * self._bore_shares()

    def blow_bore(self, pressure: float) -> None:
        """Put an internal pressure on the inner edge."""
        self._load[2 * self._grid.bore] += pressure * self.shape.inner * self.shape.height * self._bore_shares()

    def _bore_shares(self) -> Array:
        layers = self.shape.layers
        shares = np.zeros(2 * layers + 1)
        for layer in range(layers):
            shares[2 * layer : 2 * layer + 3] += np.array([1.0, 4.0, 1.0]) / (6 * layers)
        return shares

    def stiffen_bore(self, stiffness: float) -> None:
        """Resist rotation of the inner edge with a moment per radian of circumference and radian of rotation.

        The rotation is that of the straight line nearest to the edge, so that no point of it carries a lone force.
        """
        lever = np.linspace(-0.5, 0.5, 2 * self.shape.layers + 1) * self.shape.height
        shares = self._bore_shares() * lever
        shares = shares / (shares @ lever)
        nodes = 2 * self._grid.bore
        for place, node in enumerate(nodes):
            self._band[nodes[place:] - node, node] += stiffness * shares[place:] * shares[place]

    def fix(self, radius: float, outer_edge: bool = False) -> None:
        """Hold the front face at a radius against axial motion, or clamp the outer edge."""
        heaviest = float(self._band[0].max()) * _CLAMP
        if outer_edge:
            for node in self._grid.rim:
                self._band[0, 2 * node : 2 * node + 2] += heaviest
            return
        column, place = self._at(radius)
        node = self._grid.front[column][int(np.argmin(np.abs(np.array([-1.0, 0.0, 1.0]) - place)))]
        self._band[0, 2 * node + 1] += heaviest

    # ---- results

    def solve(self) -> Bent:
        """Solve for the displacements."""
        from scipy.linalg import solveh_banded

        moved = solveh_banded(self._band, self._load, lower=True, check_finite=False)
        return Bent(self, moved)

    def _at(self, radius: float) -> tuple[int, float]:
        """Column of a radius and place in it, from -1 to 1."""
        share = (radius - self.shape.inner) / self.shape.width
        column = min(max(int(share), 0), self.shape.columns - 1)
        return column, 2 * (share - column) - 1

    def _assembled(self) -> Array:
        """Stiffness matrix, lower band storage."""
        grid, shape = self._grid, self.shape
        stiffness = np.zeros((shape.columns, 16, 16))
        for stations in self._points:
            for strain, radius in stations:
                weight = radius * shape.width * shape.height / shape.layers / 4
                stress = _elasticity(self._poisson) @ strain
                stiffness += strain.transpose(0, 2, 1) @ stress * (weight * self._modulus)[:, None, None]
        values = np.repeat(stiffness[:, None], shape.layers, axis=1).reshape(-1)[grid.kept]
        return np.bincount(grid.places, values, (grid.bandwidth + 1) * grid.size).reshape(grid.bandwidth + 1, -1)


class Bent:
    """A solved ring.

    Attributes:
        moved: displacements, mm: radial and axial of every node in turn.
    """

    def __init__(self, ring: Ring, moved: Array) -> None:
        self.ring, self.moved = ring, moved

    def deflection(self, radius: float) -> float:
        """Axial displacement of the front face at a radius, mm."""
        column, place = self.ring._at(radius)
        nodes = self.ring._grid.front[column]
        return float(_line(place) @ self.moved[2 * nodes + 1])

    def spread(self, outer: bool = False) -> float:
        """Mean radial displacement of the inner (or outer) edge, mm."""
        nodes = self.ring._grid.rim if outer else self.ring._grid.bore
        return float(self.moved[2 * nodes].mean())

    def faces(self) -> Faces:
        """Linearised stresses at the inner edge and at two stations in each column."""
        ring, shape = self.ring, self.ring.shape
        own = self.moved[ring._grid.freedoms].reshape(shape.columns, shape.layers, 16)
        radius = np.empty((shape.columns, 2))
        seen = np.empty((shape.columns, 2, shape.layers, 2, 2))  # column, station, layer, level, (radial, hoop)
        for station, levels in enumerate(ring._points):
            for at, (strain, radius[:, station]) in enumerate(levels):
                stress = own @ (_elasticity(ring._poisson) @ strain).transpose(0, 2, 1)  # (columns, layers, 4)
                seen[:, station, :, at] = stress[:, :, [0, 2]] * ring._modulus[:, None, None]
        lever = ((np.arange(shape.layers)[:, None] + (1 + _GAUSS) / 2) / shape.layers - 0.5).reshape(-1)
        flat = seen.reshape(2 * shape.columns, 2 * shape.layers, 2)
        mean = flat.mean(axis=1)
        bending = 6 * np.einsum("l,nls->ns", lever, flat) / (2 * shape.layers)
        stations, faces = radius.reshape(-1), np.stack([mean - bending, mean + bending], axis=2)
        reach = (shape.inner - stations[0]) / (stations[1] - stations[0])
        edge = faces[0] + reach * (faces[1] - faces[0])
        whole = np.concatenate([edge[None], faces])
        return Faces(np.concatenate([[shape.inner], stations]), whole[:, 0], whole[:, 1])


# ---- the grid


@frozen(eq=False)
class _Grid:
    """Numbering of the nodes, column by column, and where element entries go in the band."""

    size: int
    bandwidth: int
    freedoms: NDArray[np.intp]
    kept: NDArray[np.intp]
    places: NDArray[np.intp]
    front: NDArray[np.intp]
    back: NDArray[np.intp]
    bore: NDArray[np.intp]
    rim: NDArray[np.intp]


@cache
def _grid(columns: int, layers: int) -> _Grid:
    tall, short = 2 * layers + 1, layers + 1
    first = np.array([(tall + short) * column for column in range(columns + 1)])  # nodes of full columns
    between = first[:-1] + tall  # nodes halfway in a column
    elements = np.array(
        [
            [
                first[c] + 2 * y, first[c + 1] + 2 * y, first[c + 1] + 2 * y + 2, first[c] + 2 * y + 2,
                between[c] + y, first[c + 1] + 2 * y + 1, between[c] + y + 1, first[c] + 2 * y + 1,
            ]
            for c in range(columns)
            for y in range(layers)
        ]
    )  # fmt: skip
    freedoms = np.stack([2 * elements, 2 * elements + 1], axis=2).reshape(len(elements), 16)
    rows, cells = np.repeat(freedoms, 16, axis=1).reshape(-1), np.tile(freedoms, (1, 16)).reshape(-1)
    kept = np.flatnonzero(rows >= cells)
    size = 2 * (int(first[-1]) + tall)
    below = rows[kept] - cells[kept]
    front = np.stack([first[:-1], between, first[1:]], axis=1)
    back = np.stack([first[:-1] + tall - 1, between + short - 1, first[1:] + tall - 1], axis=1)
    return _Grid(
        size=size,
        bandwidth=int(below.max()),
        freedoms=freedoms,
        kept=kept,
        places=below * size + cells[kept],
        front=front,
        back=back,
        bore=np.arange(tall),
        rim=first[-1] + np.arange(tall),
    )


def _line(place: Any) -> Array:
    """Quadratic shape functions of an edge, one row each."""
    found: Array = np.array([place * (place - 1) / 2, 1 - place**2, place * (place + 1) / 2])
    return found


@cache
def _elasticity(poisson: float) -> Array:
    """Stress (radial, axial, hoop, shear) from strain for a modulus of one."""
    mixed = poisson / (1 - poisson)
    scale = (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson))
    found = np.array([[1, mixed, mixed, 0], [mixed, 1, mixed, 0], [mixed, mixed, 1, 0], [0, 0, 0, 0.0]])
    found[3, 3] = (1 - 2 * poisson) / (2 * (1 - poisson))
    return scale * found


def _strains(shape: Shape, place: float, level: float) -> tuple[Array, Array]:
    """Strain-displacement matrices of every column at a point of the element, shape (columns, 4, 16), and radii."""
    values, across, up = _serendipity(place, level)
    across, up = across * 2 / shape.width, up * 2 * shape.layers / shape.height
    radius = shape.inner + shape.width * (np.arange(shape.columns) + (1 + place) / 2)
    strain = np.zeros((shape.columns, 4, 16))
    strain[:, 0, 0::2] = across
    strain[:, 1, 1::2] = up
    strain[:, 2, 0::2] = values / radius[:, None]
    strain[:, 3, 0::2] = up
    strain[:, 3, 1::2] = across
    return strain, radius


@cache
def _serendipity(x: float, y: float) -> tuple[Array, Array, Array]:
    """Shape functions of the eight-node element and their derivatives."""
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    values = [(1 + a * x) * (1 + b * y) * (a * x + b * y - 1) / 4 for a, b in corners]
    across = [a * (1 + b * y) * (2 * a * x + b * y) / 4 for a, b in corners]
    up = [b * (1 + a * x) * (a * x + 2 * b * y) / 4 for a, b in corners]
    values += [(1 - x * x) * (1 - y) / 2, (1 + x) * (1 - y * y) / 2, (1 - x * x) * (1 + y) / 2]
    values += [(1 - x) * (1 - y * y) / 2]
    across += [-x * (1 - y), (1 - y * y) / 2, -x * (1 + y), -(1 - y * y) / 2]
    up += [-(1 - x * x) / 2, -(1 + x) * y, (1 - x * x) / 2, -(1 - x) * y]
    return np.array(values), np.array(across), np.array(up)
