"""The prompt layer: proposes matches and words them, three ways in English and three in Chinese.

No wording names the families of opponents or their parameters; each says what the opponent's play may depend on, which is what a player needs to
know to learn it.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from harness import Limits
from harness_holdem.options import Options
from harness_holdem.sample import Identity, propose

_TURNS_PER_HAND = 12


class MatchPrompt:
    """Proposes and words instances of the task."""

    identity = Identity

    def __init__(self, options: Options) -> None:
        self._options = options

    def sample(self, rng: np.random.Generator) -> Identity:
        """Propose a match."""
        return propose(self._options, rng)

    def messages(self, identity: Identity, wording: int, language: str) -> str:
        """Word the match."""
        told = self.facts(identity, language)
        return _WORDINGS[language][wording].format(where=_WHERE[language][self._options.variant], **told)

    def facts(self, identity: Identity, language: str) -> Mapping[str, str]:
        """Return the numbers that every wording carries."""
        return {
            "hands": str(len(identity.deals)),
            "stack": str(identity.stack),
            "blinds": f"{identity.big_blind // 2}/{identity.big_blind}",
            "pages": str(identity.pages),
            "page_hands": str(identity.page_hands),
            "allowance": f"{identity.allowance:g} bb",
            "turns": str(self.limits(identity).turns),
        }

    def limits(self, identity: Identity) -> Limits:
        """Return the limits: turns for every hand and every page, and pages of recorded hands."""
        turns = _TURNS_PER_HAND * len(identity.deals) + identity.pages + 6
        return Limits(turns=turns, budgets={"pages": identity.pages}, call_seconds=30.0)

    def secrets(self, identity: Identity) -> list[str]:
        """Return the deals, the family of the opponent, its parameters and the seeds."""
        numbers = [repr(value) for value in attrs.asdict(identity.style).values() if isinstance(value, float)]
        seeds = [str(identity.chance), str(identity.archive)]
        return [*identity.deals, identity.style.kind, *(text for text in (*numbers, *seeds) if len(text) >= 7)]


_WHERE = {
    "en": {
        "image": "The table is shown as a picture; the cards are to be seen in the picture only.",
        "text": "The table is shown as text fields; a card is a rank and a suit, such as Ah or Tc.",
    },
    "zh": {
        "image": "牌桌以图片显示，牌面只出现在图片中。",
        "text": "牌桌以文字字段显示；一张牌写作点数加花色，例如 Ah 或 Tc。",
    },
}

_EN_PLAIN = """\
You play a match of heads-up no-limit Texas hold'em: {hands} hands against one opponent. Before every hand both stacks are set to {stack} chips; \
the blinds are {blinds} and the button (small blind, first to act before the flop) changes hands every time. {where}

The opponent plays in one fixed way throughout. At each of its decisions it looks at the share of all possible holdings that its own two cards beat \
at that moment, at the price of a call, at the street and at whether there was a raise before on this street; it never sees your cards. Opponents \
differ in how many hands they continue with, how that changes from street to street, how often they bet or raise with good hands, whether they bet \
with bad ones, and how much.

How this one plays you can learn from recorded hands that it played against a guest: scout(page) shows one of {pages} pages with {page_hands} hands \
each, and each page read uses one of {pages} readings. In its notes "they" is the opponent. history() lists the betting of the hands of this match \
that have ended.

You are judged on your decisions, not on luck. Each decision is compared with the best action against this opponent's actual way of playing and \
the range that its actions leave it, in expected big blinds (1 bb = one big blind). The match is a success if all hands are played and your loss, \
summed over the decisions of a hand and averaged over the hands, is at most {allowance} per hand. You get no results before the match is over.

Use table() to see your first decision and act(...) to play; an illegal action is refused with the legal ones. You have {turns} turns in all."""

_EN_BRIEF = """\
Task: heads-up no-limit hold'em, {hands} hands, one opponent.

Setting
- Stacks are {stack} chips at the start of every hand; blinds {blinds}; the button alternates.
- {where}
- The opponent's method is fixed for the match. Each of its decisions depends on the share of possible holdings that its hand beats right now, \
the price of a call, the street, and whether the street has already been raised. It does not know your cards.
- Methods differ in how many hands go on against a bet (possibly more or fewer on later streets), in how often good hands bet or raise, in whether \
bad hands bet too, and in bet sizes.

Information
- scout(page): recorded hands of this opponent ("they") against a guest; {pages} pages, {page_hands} hands a page, {pages} readings.
- history(): betting of ended hands of this match. table(): the current decision. No results are given until the match ends.

Goal
- Each of your decisions is measured by regret: the expected value of the best action against this very opponent and its range, less that of yours. \
Luck does not enter.
- Success: all hands played, and regret, summed per hand, at most {allowance} on average (bb = big blinds).
- Turns available: {turns}. Play with act(action, amount); amount is the total of your bet on the street."""

_EN_STORY = """\
A card club has set you up against a regular for {hands} hands of two-player no-limit Texas hold'em. The house sets both stacks to {stack} before \
each deal, blinds are {blinds}, and the dealer button moves every hand. {where}

The regular is a creature of habit. Whatever happens, the same kind of situation gets the same kind of answer: what counts is how large a share of \
all possible holdings the regular's own cards beat just then, what a call costs, which street it is and whether somebody has already raised on it. \
Your cards are unknown across the table. What you do not know are the habits: how wide the regular continues, early and late in a hand; how freely \
good hands are bet or raised; whether poor hands are bet as well; how big the bets are.

The club keeps notes. scout(page) opens one of {pages} pages of {page_hands} recorded hands each, played by the regular ("they") against a guest, and \
you may open pages {pages} times. Within the match, history() repeats the betting of hands that have ended and table() shows where you stand.

The club does not care who gets lucky. For each decision it works out what the best action would have been worth, knowing the regular's habits and \
the range of hands still possible, and what yours was worth. You pass if you finish all hands and give away at most {allowance} (big blinds) per hand \
on average. Until the end you hear nothing about results. You have {turns} turns; act(action, amount) plays, where amount is your whole bet on the \
street."""

_ZH_PLAIN = """\
你将与一名对手进行 {hands} 手两人无限注德州扑克。每手开始时双方筹码都重置为 {stack}，盲注为 {blinds}，按钮位（小盲，翻牌前先行动）每手轮换。{where}

对手整场比赛采用同一种固定打法。每次决策时，它只看：自己的两张牌此刻能胜过所有可能底牌中的多大比例、跟注的价格、当前是哪一轮、这一轮之前是否有人加注；它看不到你的牌。\
不同对手的区别在于：面对下注时用多少牌继续、这一比例在后面各轮如何变化、好牌下注或加注的频率、差牌是否也下注，以及下注大小。

你可以从它与一位客人（guest）的历史牌局中了解它：scout(page) 显示 {pages} 页中的一页，每页 {page_hands} 手，最多可阅读 {pages} 次；记录中 “they” 指对手。\
history() 列出本场已结束各手的下注过程。

评判看决策而不看运气：每个决策都与针对该对手真实打法及其剩余范围的最佳行动比较，以期望大盲数计（1 bb 即一个大盲）。打完所有手牌，且每手各决策损失之和的平均值不超过 {allowance}，\
即为成功。比赛结束前不会告知任何结果。

用 table() 查看第一个决策，用 act(...) 行动；不合法的行动会被拒绝并列出合法行动。你共有 {turns} 个回合。"""

_ZH_BRIEF = """\
任务：两人无限注德州扑克，{hands} 手，一名对手。

设定
- 每手开始时双方筹码为 {stack}；盲注 {blinds}；按钮位每手轮换。
- {where}
- 对手的打法整场不变。它的每次决策取决于：它的牌此刻胜过多大比例的可能底牌、跟注价格、当前轮次、本轮是否已有加注。它不知道你的牌。
- 打法的差别：面对下注继续的牌有多少（后面的轮次可能更多或更少）、好牌下注或加注的频率、差牌是否也下注、下注的大小。

信息
- scout(page)：该对手（“they”）与客人（guest）的历史牌局，共 {pages} 页，每页 {page_hands} 手，可阅读 {pages} 次。
- history()：本场已结束各手的下注过程。table()：当前决策。比赛结束前不提供结果。

目标
- 每个决策按“遗憾”衡量：针对这名对手及其范围，最佳行动的期望值减去你的行动的期望值，与运气无关。
- 成功条件：打完所有手牌，且每手遗憾之和的平均值不超过 {allowance}（bb 为大盲）。
- 可用回合：{turns}。用 act(action, amount) 行动；amount 是你在本轮的总下注额。"""

_ZH_STORY = """\
一家牌社安排你与一位常客进行 {hands} 手两人无限注德州扑克。每次发牌前，双方筹码都补到 {stack}，盲注 {blinds}，庄家按钮每手移动。{where}

这位常客凡事依习惯行事：同样的处境总得到同样的应对。它只在意自己的牌此刻胜过多大比例的可能底牌、跟注要花多少、现在是哪一轮、这一轮是否已经有人加注；它不知道你的牌。\
你不知道的是它的习惯：在一手牌的前期和后期各用多宽的范围继续，好牌多常下注或加注，差牌会不会下注，以及下注多大。

牌社留有记录：scout(page) 打开 {pages} 页记录中的一页，每页 {page_hands} 手，是这位常客（“they”）与客人（guest）的牌局，你最多可打开 {pages} 次。\
比赛中，history() 重述已结束各手的下注过程，table() 显示当前局面。

牌社不在乎谁手气好。对每个决策，它都会在知道常客习惯和剩余范围的前提下，算出最佳行动值多少、你的行动值多少。打完所有手牌，并且平均每手损失不超过 {allowance}（大盲），即为通过。\
结束之前你不会得知任何结果。你有 {turns} 个回合；用 act(action, amount) 行动，amount 是你在本轮的总下注额。"""

_WORDINGS = {"en": (_EN_PLAIN, _EN_BRIEF, _EN_STORY), "zh": (_ZH_PLAIN, _ZH_BRIEF, _ZH_STORY)}
