"""The seat: legality, refusals, ended hands, records, and that nothing hidden is shown."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from conftest import played_out, seat_of

from harness import Refused
from harness.jsonio import dumps
from harness_holdem.archive import page_of
from harness_holdem.betting import HERO
from harness_holdem.cards import names
from harness_holdem.match import Match, World, deal_of
from harness_holdem.options import Options
from harness_holdem.picture import DESIGNS
from harness_holdem.sample import propose
from harness_holdem.tools import Seat


def test_a_match_is_played_to_its_end_and_reports_chips_won() -> None:
    seat = seat_of(1, variant="text", hands=5)
    shown = played_out(seat)
    assert [result.done for result in shown] == [False] * (len(shown) - 1) + [True]
    assert len(seat.world.won) == 5
    assert shown[-1].content["match"] == "over"
    assert shown[-1].content["won_bb"] == sum(seat.world.won) / 100
    metrics = seat.calc_reward()
    assert metrics["hands_ended"] == 5
    assert len(metrics["regret_bb"]) == 5


def test_every_ended_hand_is_told_once_and_without_its_result() -> None:
    seat = seat_of(2, variant="text", hands=6)
    first = seat.table().content.get("ended", [])
    told = [hand for result in played_out(seat) for hand in result.content.get("ended", [])]
    assert [hand["hand"] for hand in [*first, *told]] == [1, 2, 3, 4, 5, 6]
    assert set(told[0]) == {"hand", "button", "betting"}


def test_dense_tells_result_regret_and_shown_cards() -> None:
    seat = seat_of(2, variant="text", hands=6, dense=True)
    played_out(seat)
    entries = seat.history()["ended"]
    assert set(entries[0]) == {"hand", "button", "betting", "won_bb", "regret_bb", "they_showed"}
    assert [e["won_bb"] for e in entries] == [won / 100 for won in seat.world.won]
    assert [e["regret_bb"] for e in entries] == pytest.approx(seat.calc_reward()["regret_bb"], abs=1e-3)
    shown = [e["they_showed"] for e in entries if e["they_showed"]]
    assert shown
    assert set(shown) <= {names(deal_of(text).opponent) for text in seat.identity.deals}


@pytest.mark.parametrize(
    ("action", "amount", "argument"),
    [("check", None, "action"), ("raise_to", None, "amount"), ("raise_to", 101, "amount"), ("raise_to", 9999, "amount"),
     ("call", 50, "amount"), ("fold", 50, "amount")],
)  # fmt: skip
def test_illegal_actions_are_refused_with_the_legal_ones(action: str, amount: int | None, argument: str) -> None:
    seat = facing_a_bet()
    before = attrs.evolve(seat.world, hands=[list(hand) for hand in seat.world.hands])
    with pytest.raises(Refused, match=r"Legal now: fold; call \d+; raise_to \d+-\d+; all_in") as refusal:
        seat.act(action, amount)  # type: ignore[arg-type]
    assert refusal.value.argument == argument
    assert seat.world == before


def facing_a_bet() -> Seat:
    """A seat on the button of the first hand: the big blind is to call."""
    for seed in range(20):
        seat = seat_of(seed, variant="text")
        if seat.identity.first_button == HERO:
            return seat
    raise AssertionError("no seed gave the hero the button")


def test_nothing_to_call_and_nothing_to_fold() -> None:
    seat = facing_a_bet()
    while Match(seat.identity, seat.world).table.spot.owed:
        seat.act("call")
    for action in ("call", "fold"):
        with pytest.raises(Refused, match="Legal now: check"):
            seat.act(action)  # type: ignore[arg-type]


def test_all_in_is_the_largest_raise() -> None:
    seat = facing_a_bet()
    seat.act("all_in")
    assert seat.world.hands[0][0] == f"raise {seat.identity.stack}"


@pytest.mark.parametrize("page", [0, 5, -1])
def test_pages_outside_the_record_are_refused(page: int) -> None:
    with pytest.raises(Refused, match="allowed 1 to 4"):
        seat_of(0, variant="text").scout(page)


def test_records_are_the_same_whenever_they_are_read() -> None:
    seat = seat_of(3, variant="text")
    first = seat.scout(2)
    played_out(seat)
    assert seat.scout(2) == first == {"page": "2 of 4", "hands": page_of(seat.identity, 2)}
    assert seat.scout(1) != first


def test_the_same_actions_meet_the_same_answers_after_any_rebuilding() -> None:
    one, other = seat_of(4, variant="text"), seat_of(4, variant="text")
    while not Match(one.identity, one.world).over:
        owed = Match(one.identity, one.world).table.spot.owed
        action = "call" if owed else "check"
        shown = one.act(action)  # type: ignore[arg-type]
        fresh = World([list(hand) for hand in other.world.hands], list(other.world.won), other.world.told)
        other = seat_of(4, world=fresh, variant="text")
        assert other.act(action) == shown  # type: ignore[arg-type]


def test_what_is_shown_does_not_depend_on_cards_that_are_hidden() -> None:
    """Two deals that differ in all hidden cards show the same table until the opponent's action differs."""
    compared = 0
    for seed in range(30):
        identity = propose(Options(hands=1), np.random.default_rng(seed))
        deal = identity.deals[0]
        other = attrs.evolve(identity, deals=(deal[:4] + deal[14:18] + deal[8:14] + deal[4:8],))
        seats = [seat_of(identity=one, variant=variant) for one in (identity, other) for variant in ("image", "text")]
        if len(seats[0].world.hands[0]) == len(seats[2].world.hands[0]) and seats[0].world == seats[2].world:
            shown = [seat.table() for seat in seats]
            if not shown[1].done:
                assert shown[0] == shown[2]
                assert shown[1] == shown[3]
                compared += 1
    assert compared >= 10


@pytest.mark.parametrize("variant", ["image", "text"])
def test_the_worlds_cards_reach_the_policy_only_when_they_lie_open(variant: str) -> None:
    seat = seat_of(5, variant=variant)
    while True:
        match = Match(seat.identity, seat.world)
        if match.over:
            break
        result = seat.table()
        seen = dict(result.images[0].part.facts) if variant == "image" else dict(result.content)
        assert seen["board"] == names(match.table.board)
        assert seen["your_cards"] == names(match.table.deal.hero)
        if variant == "image":
            assert set(result.content) <= {"hand", "table", "ended"}
            text = dumps(dict(result.content)).decode()
            assert not any(names([card]) in text for card in match.table.deal.hero)
        seat.act("call" if match.table.spot.owed else "check")


def test_every_design_of_the_sampler_can_be_drawn() -> None:
    from harness_holdem.sample import DESIGNS as CHOICES

    assert set(CHOICES) == set(DESIGNS)
