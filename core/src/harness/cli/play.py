"""`harness play`: a person plays one instance in the terminal."""

from __future__ import annotations

from pathlib import Path

import attrs
import click

from harness.cli._shared import group_option, parse_settings, seed_option, set_option, split_option, with_option

PICTURES = "pictures"
"""Option of a task that can be played without pictures and has some: whether it begins with one."""


@click.command("play", epilog="Example: harness play escape --group easy --seed 3")
@click.argument("task")
@group_option
@set_option
@with_option
@seed_option
@split_option("train")
@click.option("--index", type=click.IntRange(0), default=0, show_default=True, help="Which instance.")
@click.option("--images", type=click.Path(path_type=Path), help="Folder for pictures [default: a temporary one].")
@click.option("--policy", help="Watch a scripted policy play instead, such as reference.")
def command(
    task: str,
    groups: tuple[str, ...],
    settings: tuple[str, ...],
    plugins: tuple[str, ...],
    seed: int,
    split: str,
    index: int,
    images: Path | None,
    policy: str | None,
) -> None:
    """Play an instance of TASK yourself, through exactly what a model sees. Nothing is recorded.

    A task with the option `pictures` begins with one, unless you set it otherwise (--set pictures=false).
    """
    import anyio

    from harness.cli._run import make_policy
    from harness.policies import Context, Policy, Setup
    from harness.policies._human import HumanPolicy
    from harness.rollout import make_backend, play_episode
    from harness.task import load_task
    from harness.trace import episode_record
    from harness.trace._render import plain, render_episode

    options, language = parse_settings(settings)
    card = load_task(task).card
    if policy is None and PICTURES in attrs.fields_dict(card.options):
        options.setdefault(PICTURES, True)  # a person has eyes
    loaded = load_task(task, groups[0] if groups else next(iter(card.groups), ""), options, plugins)
    sample = loaded.sample(index, seed=seed, split=split, language=language)
    player: Policy = make_policy(policy, Setup(task=loaded, concurrency=1)) if policy else HumanPolicy(images)

    async def run() -> None:
        from rich.console import Console

        async with make_backend("inline", [loaded]) as backend:
            episode = await play_episode(loaded, sample, player, backend, Context(sample, seed=seed, task=loaded))
        outcome = episode.outcome
        assert outcome is not None
        out = Console(highlight=False)
        if policy:
            out.print(render_episode(episode_record(episode, {"name": policy, "view": player.view})))
        shown = "no reward" if outcome.reward is None else f"reward {outcome.reward:.3f}"
        words = (outcome.status, outcome.reason, shown, outcome.detail)
        out.print(plain(" · ".join(filter(None, words))), style="bold", markup=False)
        if outcome.score:
            for term in (*outcome.score.progress, *outcome.score.efficiency):
                out.print(f"  {term.name}: {term.value:.3f} (weight {term.weight:g})", markup=False)

    anyio.run(run)
