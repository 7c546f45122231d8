"""Playing a house without a framework around it: what the fair explorer needs, and what it does when.

Used when instances are made. It drives the same views and events as an episode does, so the steps counted here are
the steps that the reference policy takes.
"""

from __future__ import annotations

from attrs import frozen

from harness import Infeasible, Unsafe
from harness_escape.events import tick
from harness_escape.explorer import Explorer
from harness_escape.house import House
from harness_escape.lexicon import name
from harness_escape.memory import Step
from harness_escape.view import Answer, Eyes
from harness_escape.world import World, start_world

LONGEST = 400
CODES = 3


@frozen
class Walk:
    """A played house: the steps, the room after each, the final world."""

    steps: tuple[Step, ...]
    rooms: tuple[int, ...]
    world: World


def explore(house: House, language: str = "en", longest: int = LONGEST) -> Walk:
    """Let the fair explorer play until it is out, at a loss or out of steps."""
    world = start_world(house)
    player = Explorer(name(house.doors[house.exit].word, language), language)
    steps: list[Step] = []
    rooms: list[int] = []
    while not world.out and len(steps) < longest and (step := player.next_step()):
        answer = act(Eyes(house, world, language), step)
        steps.append(step)
        player.memory.learn(step, answer, tick(house, world, len(steps), language))
        rooms.append(world.room)
    return Walk(tuple(steps), tuple(rooms), world)


def act(eyes: Eyes, step: Step) -> Answer | None:
    """Do a step; None when it is refused."""
    arguments = step.arguments
    try:
        match step.tool:
            case "look":
                return eyes.look()
            case "move":
                return eyes.move(arguments["direction"])
            case "take":
                return eyes.take(arguments["item"])
            case "inspect":
                return eyes.inspect(arguments["target"])
            case "use":
                return eyes.use(arguments["item"], arguments.get("target"))
            case "combine":
                return eyes.combine(arguments["first"], arguments["second"])
            case "enter_code":
                return eyes.enter_code(arguments["target"], arguments["code"], CODES)
            case _:
                return eyes.inventory()
    except (Infeasible, Unsafe):
        return None
