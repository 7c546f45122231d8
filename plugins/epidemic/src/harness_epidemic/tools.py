"""The tool layer: the officer's desk.

`set_policy` and `allocate` are orders, `bulletin` is a reading, each with its budget; `advance` is the only thing that
moves time and cannot be undone; `close_out` lets the rest of the horizon pass under what is in force. There is no
what-if, and nothing tells the true state: only bulletins do, late and noisy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from attrs import evolve

from harness import Length, Range, Refused, Result, Toolset, Unsafe, tool
from harness.errors import nearest
from harness_epidemic.bulletin import bulletin as read_bulletin
from harness_epidemic.country import Identity
from harness_epidemic.measures import BED_PRICE, Policy, Schools, Travel
from harness_epidemic.options import Options
from harness_epidemic.score import standing
from harness_epidemic.world import BED_DELAY, measure, pass_week, run_out, start_world
from harness_epidemic.world import World as State

ALL = "all"
Place = Annotated[str, Length(1, 40)]
Amount = Annotated[int, Range(0, 10_000_000)]


class EpidemicTools(Toolset):
    """The callable affordances of one episode."""

    World: ClassVar[type] = State
    identity: Identity
    options: Options
    world: State

    @classmethod
    def create(cls, identity: Identity, options: Any) -> State:
        """Let the outbreak run up to week 0."""
        return start_world(identity)

    @tool(budget="bulletins")
    def bulletin(self) -> Mapping[str, Any]:
        """Read this week's bulletin: reports of the last six weeks by region, beds, stocks, credits."""
        return read_bulletin(self.identity, self.world)

    @tool(budget="orders")
    def set_policy(
        self,
        region: Place,
        distancing: Annotated[int, Range(0, 4)] | None = None,
        schools: Schools | None = None,
        masks: bool | None = None,
        travel: Travel | None = None,
        testing: Annotated[int, Range(0, 2)] | None = None,
    ) -> Mapping[str, Any]:
        """Change the measures of a region from now on; what is left out stays as it is.

        Args:
            region: Name of a region, or all.
            distancing: 0 none to 4 stay at home.
            schools: Open, hybrid or closed.
            masks: Whether masks are required.
            travel: Open, or restricted to and from the region.
            testing: 0 none, 1 symptomatic, 2 broad.
        """
        given = {"distancing": distancing, "schools": schools, "masks": masks, "travel": travel, "testing": testing}
        changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        places = self._places(region)
        if not changes:
            raise Refused("argument distancing: got no measure at all, allowed at least one", argument="distancing")
        for place in places:
            self.world.policies[place] = evolve(self.world.policies[place], **changes)
        return {"in_force": {self.identity.regions[place].name: _plain(self.world.policies[place]) for place in places}}

    @tool(budget="orders")
    def allocate(self, region: Place, doses: Amount = 0, tests: Amount = 0, beds: Amount = 0) -> Mapping[str, Any]:
        """Send doses, tests and surge beds from the store to a region; `all` splits them by population.

        Args:
            region: Name of a region, or all.
            doses: Vaccine doses.
            tests: Tests.
            beds: Surge beds, paid at once.
        """
        places = self._places(region)
        asked = {"doses": doses, "tests": tests, "beds": beds}
        for name, amount in asked.items():
            if amount > self.world.store[name]:
                held = self.world.store[name]
                raise Refused(f"argument {name}: got {amount}, allowed 0 to {held} (in store)", argument=name)
        if not any(asked.values()):
            raise Refused("argument doses: got nothing to send, allowed at least 1 of something", argument="doses")
        self._pay_beds(beds)
        sent = {name: self._split(amount, places) for name, amount in asked.items() if amount}
        for name, amounts in sent.items():
            self._send(name, places, amounts)
        return {
            "sent": {name: dict(zip(self._names(places), amounts, strict=True)) for name, amounts in sent.items()},
            "store": dict(self.world.store),
            "credits_left": self._credits_left(),
        }

    @tool
    def advance(self, weeks: Annotated[int, Range(1, 4)]) -> Result:
        """Let weeks pass under the measures in force. Cannot be undone.

        Args:
            weeks: Weeks to pass.
        """
        left = self.identity.weeks - self.world.week
        if weeks > left:
            raise Refused(f"argument weeks: got {weeks}, allowed 1 to {left} (weeks left)", argument="weeks")
        before, spent = self.world.unpaid, self.world.spent
        for _ in range(weeks):
            pass_week(self.identity, self.world)
        told: dict[str, Any] = {
            "week": self.world.week,
            "weeks_left": self.identity.weeks - self.world.week,
            "credits_used": round(self.world.spent - spent),
            "credits_left": self._credits_left(),
            "store": dict(self.world.store),
        }
        if self.world.unpaid > before:
            told["warning"] = f"overspent: in {self.world.unpaid - before} weeks no measure could be paid, none held"
        return Result(told | self._standing(), done=self.world.week >= self.identity.weeks)

    @tool
    def close_out(self) -> Result:
        """Let all remaining weeks pass under the measures in force. Ends the task."""
        run_out(self.identity, self.world)
        return Result({"week": self.world.week, "weeks_left": 0} | self._standing(), done=True)

    def calc_reward(self) -> Mapping[str, Any]:
        """Run out the horizon if need be, and measure deaths, overflow, cost and aftermath."""
        played = self.world.week
        run_out(self.identity, self.world)
        result = measure(self.identity, self.world)
        return {
            "deaths": result.deaths,
            "overflow": result.overflow,
            "cost": result.cost,
            "aftermath": result.aftermath,
            "weeks_played": played,
            "weeks_unpaid": self.world.unpaid,
        }

    # ---- parts

    def _places(self, region: str) -> list[int]:
        names = [known.name for known in self.identity.regions]
        if region == ALL:
            return list(range(len(names)))
        if region in names:
            return [names.index(region)]
        close = nearest(region, [*names, ALL])
        raise Refused(
            f"argument region: got {region[:40]!r}, allowed {', '.join(names)} or {ALL}"
            + (close if "mean" in close else ""),
            argument="region",
        )

    def _names(self, places: list[int]) -> list[str]:
        return [self.identity.regions[place].name for place in places]

    def _split(self, amount: int, places: list[int]) -> list[int]:
        """Split an amount by population; what rounding leaves goes to the first."""
        people = [self.identity.regions[place].population for place in places]
        parts = [amount * count // sum(people) for count in people]
        parts[0] += amount - sum(parts)
        return parts

    def _send(self, name: str, places: list[int], amounts: list[int]) -> None:
        self.world.store[name] -= sum(amounts)
        for place, amount in zip(places, amounts, strict=True):
            if name == "doses":
                self.world.doses[place] += amount
            elif name == "tests":
                self.world.tests[place] += amount
            elif amount:
                self.world.coming.append([self.world.week + BED_DELAY, place, amount])

    def _pay_beds(self, beds: int) -> None:
        price, left = BED_PRICE * beds, self._credits_left()
        if price > left:
            raise Unsafe(
                f"overspend: argument beds: got {beds} at {BED_PRICE} credits each, allowed "
                f"{max(0, left) // BED_PRICE} with {left} credits left",
                argument="beds",
            )
        self.world.spent += price

    def _credits_left(self) -> int:
        return int(self.identity.supply.treasury - self.world.spent)

    def _standing(self) -> dict[str, Any]:
        """With option `dense`, how the targets stand as if the horizon ended now."""
        if not self.options.dense:
            return {}
        return {"standing": standing(self.identity.targets, measure(self.identity, self.world))}


def _plain(policy: Policy) -> dict[str, Any]:
    return {
        "distancing": policy.distancing,
        "schools": policy.schools,
        "masks": policy.masks,
        "travel": policy.travel,
        "testing": policy.testing,
    }
