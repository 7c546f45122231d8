"""A week of the country: measures, tests and vaccine meet the equations of the disease.

`Field` holds the arrays on which a week works, with a leading axis of alternatives: an episode has one, simple rules
and planners sweep over many with the same code. `Model` is what a week must know of a country: the truth of an
identity (`model_of`), or what a planner believes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

import numpy as np
from attrs import define, frozen

from harness_epidemic import disease, measures
from harness_epidemic.country import AFTERMATH, HISTORY, Identity, Region, chance
from harness_epidemic.disease import AGES, SHARES, Array, Pace, Tally

UPTAKE: Final = 0.85
"""Share of an age band that wants the vaccine."""

EFFICACY: Final = 0.75
VACCINATION_RATE: Final = 0.03
"""Share of a region's people who can be vaccinated in a week."""


@frozen(eq=False)
class Model:
    """A country in motion.

    Attributes:
        mobility: Share of a region's contacts that take place in each other region.
        fatigue: Compliance lost per week of the strictest measures.
        strengths: Week → factor on the force of infection in each step.
        escapes: Week → share of the immune who lose immunity in each step.
    """

    populations: Array
    mobility: Array
    pace: Pace
    fatigue: float
    strengths: Callable[[int], list[Array]]
    escapes: Callable[[int], list[float] | None] = lambda week: None


@define
class Field:
    """Arrays of some alternatives.

    Attributes:
        people: Compartments × alternatives × cells, a cell being an age band of a region.
        jabbed: People of each cell who had the vaccine: (alternatives, cells).
        compliance: Like all below by region, (alternatives, regions).
        ordered: Measures in force, (alternatives, regions, 5).
        doses: Doses in each region.
        tests: Tests in each region.
        beds: Open beds.
        spent: Credits: (alternatives,).
    """

    people: Array
    jabbed: Array
    compliance: Array
    ordered: Array
    doses: Array
    tests: Array
    beds: Array
    spent: Array

    def repeat(self, times: int) -> Field:
        """Return as many copies side by side of a field of one alternative."""
        return Field(
            np.repeat(self.people, times, axis=1),
            *(np.repeat(part, times, axis=0) for part in self._parts),
        )

    def beside(self, other: Field) -> Field:
        """Return the alternatives of this field, then those of another."""
        return Field(
            np.concatenate([self.people, other.people], axis=1),
            *(np.concatenate(pair) for pair in zip(self._parts, other._parts, strict=True)),
        )

    @property
    def _parts(self) -> tuple[Array, ...]:
        return (self.jabbed, self.compliance, self.ordered, self.doses, self.tests, self.beds, self.spent)


@frozen(eq=False)
class Week:
    """What a week brought.

    Attributes:
        traced: Level of testing that the tests sufficed for.
        unpaid: Whether the treasury could not pay the measures, so that none was in force.
    """

    tally: Tally
    traced: Array
    unpaid: Array


@lru_cache(maxsize=64)
def model_of(identity: Identity, steps: int = 7) -> Model:
    """Return the truth of an instance, in so many steps a week."""
    ill, drawn, days = identity.disease, chance(identity), 7.0 / steps
    middles = [days * (step + 0.5) for step in range(steps)]

    @cache
    def strengths(week: int) -> list[Array]:
        shock = np.repeat(drawn.shocks[week + HISTORY], AGES)
        return [ill.strength(7 * week + day) * shock for day in middles]

    @cache
    def escapes(week: int) -> list[float] | None:
        return [ill.escaping(7 * week + day, days) for day in middles] if ill.variant <= identity.weeks else None

    return Model(identity.populations, np.array(identity.mobility), ill.pace(days), ill.fatigue, strengths, escapes)


def start_field(regions: tuple[Region, ...], infected: Array) -> Field:
    """Return a country without measures or immunity in which some people of each cell are infected."""
    heads = (np.array([region.population for region in regions])[:, None] * SHARES).ravel()
    people = np.zeros((7, 1, heads.size))
    people[disease.S], people[disease.E], people[disease.I] = heads - infected, infected * 0.4, infected * 0.6
    none, cells = np.zeros((1, len(regions))), np.zeros((1, heads.size))
    beds = np.array([[float(region.beds) for region in regions]])
    return Field(people, cells, none + 1.0, np.zeros((*none.shape, 5)), none, none, beds, np.zeros(1))


def run_week(model: Model, field: Field, week: int, treasury: float = np.inf, span: int = 1) -> Week:
    """Move a field on by a week, in place; `week` counts from 0 after the history.

    Measures that the treasury cannot pay are not in force. With a longer `span` several weeks count as one: contacts,
    stocks and compliance stay as they are at its start.
    """
    ordered, unpaid = _payable(field, model.populations, treasury)
    used, share = _tests(field, ordered, model.populations, span)
    contact = measures.contacts(ordered, field.compliance, share)
    matrix = measures.force_matrix(contact, measures.mixing(model.mobility, ordered), model.populations)
    steps = model.strengths(week) * span
    jabs = _vaccinate(field, model.populations, len(steps), span)
    escapes = (model.escapes(week) or []) * span or None
    tally = disease.advance(field.people, model.pace, matrix, steps, field.beds, jabs, escapes)
    price = span * measures.weekly_price(ordered, model.populations) + measures.TEST_PRICE * used
    field.compliance = measures.tire(field.compliance, ordered, model.fatigue, span)
    field.tests, field.spent = field.tests - used, field.spent + price.sum(axis=1)
    return Week(tally, ordered[..., 4] * share, unpaid)


def _tests(field: Field, ordered: Array, populations: Array, span: int = 1) -> tuple[Array, Array]:
    """Return the tests used, and their share in what the measures ask for."""
    asked = span * measures.TESTS_PER_THOUSAND * ordered[..., 4] * populations / 1000.0
    used = np.minimum(asked, field.tests)
    return used, np.divide(used, asked, out=np.zeros_like(used), where=asked > 0)


def _payable(field: Field, populations: Array, treasury: float) -> tuple[Array, Array]:
    """Return the measures in force, none where a week of them costs more than is left, and where that is so."""
    if treasury == np.inf:
        return field.ordered, np.zeros(field.spent.shape, dtype=bool)
    used, _ = _tests(field, field.ordered, populations)
    price = (measures.weekly_price(field.ordered, populations) + measures.TEST_PRICE * used).sum(axis=1)
    unpaid = field.spent + price > treasury
    return (np.where(unpaid[:, None, None], 0.0, field.ordered) if unpaid.any() else field.ordered), unpaid


def _vaccinate(field: Field, populations: Array, steps: int, span: int) -> Array | None:
    """Give the doses, oldest first; return the share of each cell protected in a step, None if nobody ever was."""
    heads = populations[:, None] * SHARES
    left = np.minimum(field.doses, span * VACCINATION_RATE * populations)
    if not left.any():
        return np.zeros_like(field.jabbed) if field.jabbed.any() else None
    jabbed = field.jabbed.reshape(*left.shape, AGES)
    waiting = np.maximum(0.0, UPTAKE * heads - jabbed)
    older = waiting[..., ::-1].cumsum(axis=2)[..., ::-1] - waiting
    given = np.minimum(waiting, np.maximum(0.0, left[..., None] - older))
    shares: Array = EFFICACY / steps * given / np.maximum(1.0, heads - jabbed)
    field.doses, field.jabbed = field.doses - given.sum(axis=2), (jabbed + given).reshape(field.jabbed.shape)
    return shares.reshape(field.jabbed.shape)


def aftermath(model: Model, field: Field, week: int, whole: bool = False) -> Array:
    """Return the infections of the weeks from `week` on with all measures lifted; shape (alternatives,).

    With `whole` the weeks count as one span, which will do for a model whose transmission does not change.
    """
    ordered, none = np.zeros_like(field.ordered), np.zeros_like(field.doses)
    after = Field(field.people.copy(), field.jabbed, field.compliance, ordered, none, none, field.beds, field.spent)
    span = AFTERMATH if whole else 1
    weeks = [run_week(model, after, at, span=span).tally for at in range(week, week + AFTERMATH, span)]
    total: Array = np.sum([tally.infections.sum(axis=1) for tally in weeks], axis=0)
    return total


def patients(field: Field) -> Array:
    """Return hospital patients by region."""
    total: Array = field.people[disease.H].reshape(*field.compliance.shape, AGES).sum(axis=2)
    return total
