"""The cell in MuJoCo: an arm and its obstacles as a model made in code, asked for poses and distances.

Nothing is simulated: joint angles go in, places and distances come out. Every pair of bodies that may meet is declared
as a contact pair with a wide margin, so that one collision pass gives all distances below `SIGHT`. Models are compiled
once per worker for each arm and set of obstacles.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
from attrs import frozen

from harness_bot.arms import ARMS, BASE, Arm
from harness_bot.scene import Obstacle

SIGHT = 0.3
"""Distance in metres up to which pairs are measured."""

_MEMORY = "2M"
"""Room for contacts: ten times what all pairs of the largest cell take; MuJoCo's own default is 13 MB a cell."""

FLOOR = "floor"
FLOOR_FREE = 1
"""Links up to this one stand on the floor or turn in place: they cannot come nearer to it."""


@frozen
class Pair:
    """Two bodies that may meet.

    Attributes:
        capsule: Index of the arm's capsule that moves.
        other: Index of a capsule nearer to the base, or -1 for a body of the world.
        against: Name of the other body.
    """

    capsule: int
    other: int
    against: str


class Cell:
    """A compiled model with its state, for one thread.

    Attributes:
        pairs: All pairs that are measured, in the order of MuJoCo's contact pairs.
    """

    def __init__(self, arm: Arm, obstacles: Sequence[Obstacle]) -> None:
        import mujoco

        self.arm, self.obstacles = arm, tuple(obstacles)
        self.pairs = _pairs(arm, self.obstacles)
        self._mujoco: Any = mujoco
        self._model = mujoco.MjModel.from_xml_string(mjcf(arm, self.obstacles))
        self._state = mujoco.MjData(self._model)
        self._posture = self._state.qpos
        self._index = self._pair_index()

    def _pair_index(self) -> np.ndarray:
        """Table from two geom numbers to the number of their pair."""
        ids = {name: self._geom(name) for name in {n for pair in self.pairs for n in _geom_names(pair)}}
        table = np.full((self._model.ngeom, self._model.ngeom), -1)
        for number, pair in enumerate(self.pairs):
            one, two = (ids[name] for name in _geom_names(pair))
            table[one, two] = table[two, one] = number
        return table

    def _geom(self, name: str) -> int:
        return int(self._mujoco.mj_name2id(self._model, self._mujoco.mjtObj.mjOBJ_GEOM, name))

    def place(self, angles: np.ndarray) -> None:
        """Put the arm into a posture (radians)."""
        self._posture[:] = angles
        self._mujoco.mj_kinematics(self._model, self._state)

    def near(self, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return pair numbers and signed distances of all pairs nearer than `SIGHT`; a pair may come twice."""
        self.place(angles)
        self._mujoco.mj_collision(self._model, self._state)
        contact = self._state.contact
        geoms = contact.geom
        return self._index[geoms[:, 0], geoms[:, 1]], contact.dist

    def contact_point(self, number: int) -> np.ndarray:
        """Return the point midway between the surfaces of a pair that the last call of `near` found."""
        geoms = self._state.contact.geom
        found = self._index[geoms[:, 0], geoms[:, 1]] == number
        places = np.flatnonzero(found)
        nearest = places[np.argmin(self._state.contact.dist[places])]
        return np.array(self._state.contact.pos[nearest])

    def tool(self, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return tool point and rotation matrix."""
        self.place(angles)
        return self._state.site_xpos[0].copy(), self._state.site_xmat[0].reshape(3, 3).copy()

    def capsules(self, angles: np.ndarray) -> np.ndarray:
        """Return the axes of the capsules, shape (capsules, 2, 3)."""
        self.place(angles)
        found = []
        for c, capsule in enumerate(self.arm.capsules):
            geom, half = self._geom(f"c{c}"), np.linalg.norm(capsule.ends[1] - capsule.ends[0]) / 2
            place, along = self._state.geom_xpos[geom], self._state.geom_xmat[geom].reshape(3, 3)[:, 2] * half
            found.append((place + along, place - along))  # MuJoCo lets z point to the start
        return np.array(found)

    def jacobian(self) -> np.ndarray:
        """Return the tool's Jacobian (6, axes), translation first, in the posture of the last call."""
        self._mujoco.mj_comPos(self._model, self._state)
        made = np.empty((6, self.arm.axes))
        self._mujoco.mj_jacSite(self._model, self._state, made[:3], made[3:], 0)
        return made


class _Cells(threading.local):
    """The cells of one thread: MuJoCo's state is not to be shared."""

    def __init__(self) -> None:
        self.of = lru_cache(maxsize=64)(lambda arm, obstacles: Cell(ARMS[arm], obstacles))


_cells = _Cells()


def cell_of(arm: str, obstacles: tuple[Obstacle, ...]) -> Cell:
    """Return the cell of an arm and its obstacles, made once per worker, thread and configuration."""
    return _cells.of(arm, obstacles)


def mjcf(arm: Arm, obstacles: Sequence[Obstacle]) -> str:
    """Write the model: bodies nested along the chain, angles in degrees, one contact pair for all that may meet."""
    root = Xml.Element("mujoco", model=arm.name)
    Xml.SubElement(root, "compiler", angle="degree", autolimits="true")
    Xml.SubElement(root, "size", memory=_MEMORY)
    world = Xml.SubElement(root, "worldbody")
    Xml.SubElement(world, "geom", name=FLOOR, type="plane", size="3 3 0.1", contype="0", conaffinity="0")
    _add_capsules(world, arm, BASE)
    parent = world
    for link, ((place, alpha), limits) in enumerate(zip(arm.offsets, arm.limits, strict=True), start=1):
        turn = (np.cos(alpha / 2), np.sin(alpha / 2), 0, 0)
        parent = Xml.SubElement(parent, "body", name=f"link{link}", pos=_text(place), quat=_text(turn))
        Xml.SubElement(parent, "joint", name=f"joint{link}", type="hinge", axis="0 0 1", range=_text(limits))
        Xml.SubElement(parent, "inertial", pos="0 0 0", mass="1", diaginertia="1 1 1")  # nothing moves by force
        _add_capsules(parent, arm, link)
    Xml.SubElement(parent, "site", name="tool", pos=_text(arm.tool))
    for obstacle in obstacles:
        _add_obstacle(world, obstacle)
    contact = Xml.SubElement(root, "contact")
    for pair in _pairs(arm, obstacles):
        one, two = _geom_names(pair)
        Xml.SubElement(contact, "pair", geom1=one, geom2=two, margin=str(SIGHT))
    return Xml.tostring(root, encoding="unicode")


def _pairs(arm: Arm, obstacles: Sequence[Obstacle]) -> tuple[Pair, ...]:
    moving = [(c, capsule.link) for c, capsule in enumerate(arm.capsules) if capsule.link != BASE]
    with_bodies = [Pair(c, -1, obstacle.name) for c, _ in moving for obstacle in obstacles]
    with_floor = [Pair(c, -1, FLOOR) for c, link in moving if link > FLOOR_FREE]
    with_self = [Pair(second, first, arm.capsules[first].name) for first, second in arm.self_pairs]
    return (*with_bodies, *with_floor, *with_self)


_UNSEEN = {"contype": "0", "conaffinity": "0"}
"""Bodies meet in declared pairs only."""


def _add_capsules(body: Xml.Element, arm: Arm, link: int) -> None:
    for c, capsule in enumerate(arm.capsules):
        if capsule.link == link:
            ends = _text((*capsule.start, *capsule.end))
            shape = {"type": "capsule", "fromto": ends, "size": repr(capsule.radius)}
            Xml.SubElement(body, "geom", {"name": f"c{c}", **_UNSEEN, **shape})


def _add_obstacle(world: Xml.Element, obstacle: Obstacle) -> None:
    half = np.radians(obstacle.turn) / 2
    shape = {"type": obstacle.kind, "size": _text(obstacle.size), "pos": _text(obstacle.centre)}
    if obstacle.kind == "box":
        shape |= {"quat": _text((np.cos(half), 0, 0, np.sin(half)))}
    elif obstacle.kind == "capsule":
        shape |= {"fromto": _text(obstacle.ends.ravel()), "size": repr(float(obstacle.size[0]))}
        del shape["pos"]
    Xml.SubElement(world, "geom", {"name": _geom_name(obstacle.name), **_UNSEEN, **shape})


def _geom_names(pair: Pair) -> tuple[str, str]:
    return f"c{pair.capsule}", f"c{pair.other}" if pair.other >= 0 else _geom_name(pair.against)


def _geom_name(against: str) -> str:
    return against if against == FLOOR else f"o:{against}"


def _text(values: Sequence[float] | np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in values)
