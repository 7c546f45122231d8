"""The tool layer: eight tools of the house, two of the flat. Every call costs one step.

Names are exact. What the policy is shown is made in `view`; the state is the small world record, the map is the
identity's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from harness import Infeasible, Length, Result, Toolset, tool
from harness.records import Json
from harness_escape import tiny
from harness_escape.graph import required
from harness_escape.house import SIDES, House
from harness_escape.options import Options
from harness_escape.reward import is_done
from harness_escape.tiny import Button, Direction, Flat, FlatWorld
from harness_escape.view import Eyes
from harness_escape.world import World as HouseWorld
from harness_escape.world import start_world

Name = Annotated[str, Length(1, 60)]
Code = Annotated[str, Length(1, 20)]


class HouseTools(Toolset):
    """The house as a policy handles it."""

    World: ClassVar[type] = HouseWorld
    identity: House
    options: Options
    world: HouseWorld

    @classmethod
    def create(cls, identity: House, options: Any) -> HouseWorld:
        """Put the player into the first room."""
        return start_world(identity)

    @tool(budget="steps")
    def look(self) -> Mapping[str, Json]:
        """Describe the room you are in: doors, furniture, items."""
        return self._eyes.look()

    @tool(budget="steps")
    def move(self, direction: Direction) -> Result:
        """Go through the door on a side of the room.

        Args:
            direction: Side of the room.
        """
        answer = self._eyes.move(direction)
        return Result(answer, done=self.world.out)

    @tool(budget="steps")
    def take(self, item: Name) -> Mapping[str, Json]:
        """Pick up an item in the room.

        Args:
            item: Exact name of the item.
        """
        return self._eyes.take(item)

    @tool(budget="steps")
    def inspect(self, target: Name) -> Mapping[str, Json]:
        """Examine a piece of furniture, an item in the room or carried, or a door of the room.

        Args:
            target: Exact name of what to examine.
        """
        return self._eyes.inspect(target)

    @tool(budget="steps")
    def use(self, item: Name, target: Name | None = None) -> Mapping[str, Json]:
        """Work a lever of the room, or use a carried item on a lock.

        Args:
            item: Exact name of the lever or carried item.
            target: Exact name of the door or furniture to use the item on; leave out for levers.
        """
        return self._eyes.use(item, target)

    @tool(budget="steps")
    def combine(self, first: Name, second: Name) -> Mapping[str, Json]:
        """Put two carried parts together.

        Args:
            first: Exact name of a carried part.
            second: Exact name of another carried part.
        """
        return self._eyes.combine(first, second)

    @tool(budget="steps")
    def enter_code(self, target: Name, code: Code) -> Result:
        """Enter a code at a lock of the room. Wrong codes are limited.

        Args:
            target: Exact name of the door or furniture with the lock.
            code: The digits or letters, without spaces.
        """
        answer = self._eyes.enter_code(target, code, self.options.wrong_codes)
        return Result(answer, done=bool(answer.pop("sealed", False)))

    @tool(budget="steps")
    def inventory(self) -> Mapping[str, Json]:
        """List what you carry and say where you are."""
        return self._eyes.inventory()

    def calc_reward(self) -> Mapping[str, Json]:
        """Say which milestones were reached, and how it ended."""
        acts = [[act.verb, act.target] for act in required(self.identity) if is_done(self.world, act)]
        return {"acts": acts, "out": self.world.out, "wrong": self.world.wrong, "caught": self.world.caught}

    @property
    def _eyes(self) -> Eyes:
        return Eyes(self.identity, self.world, self.clock.language)


class FlatTools(Toolset):
    """The flat as a policy handles it."""

    World: ClassVar[type] = FlatWorld
    identity: Flat
    world: FlatWorld

    @tool(budget="steps")
    def move(self, direction: Direction) -> Result:
        """Go through a door.

        Args:
            direction: Side.
        """
        happened = tiny.pass_door(self.identity, self.world, SIDES.index(direction))
        if happened == "in":
            return Result(tiny.describe(self.identity, self.world.room, self.clock.language))
        if happened == "out":
            return Result(self._tell(happened), done=True)
        raise Infeasible(self._tell(happened))

    @tool(budget="steps")
    def use(self, button: Button) -> Result:
        """Press a button.

        Args:
            button: Colour.
        """
        happened = tiny.press(self.identity, self.world, tiny.button_index(button))
        if happened == "none":
            raise Infeasible(self._tell(happened))
        return Result(self._tell(happened), done=happened == "jam")

    def calc_reward(self) -> Mapping[str, Json]:
        """Say how far the player came."""
        return {"room": self.world.room, "pressed": self.world.pressed, "out": self.world.out}

    def _tell(self, happened: str) -> str:
        return tiny.EVENTS[self.clock.language][happened]
