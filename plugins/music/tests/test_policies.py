from __future__ import annotations

import pytest

from harness import View, generator, load_task
from harness_music.brief import Brief, read_brief
from harness_music.pitch import VOICES, read_passage
from harness_music.policies import LAZY, fit_constant, nearest_tones, octave_bass, static_voices, unchanged
from harness_music.prompt import PartWritingPrompt
from harness_music.rules import find_faults
from harness_music.sample import Options, plan_of


def brief_of(exercise) -> Brief:  # type: ignore[no-untyped-def]
    return read_brief(PartWritingPrompt(Options(exercise.variant)).facts(exercise, "en"))


@pytest.mark.parametrize("group", ["repair-hard", "harmonise-hard"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_reference_solves_what_it_is_told_in_both_languages(play, group: str, language: str) -> None:  # type: ignore[no-untyped-def]
    task = load_task("music", group)
    for index in range(6):
        assert play(task, task.sample(index, language=language), task.policies["reference"]).success


def test_lazy_answers_keep_what_they_should(exercise_of) -> None:  # type: ignore[no-untyped-def]
    for variant in ("repair", "harmonise"):
        for number in range(8):
            exercise = exercise_of(variant, "medium", number)
            brief, plan = brief_of(exercise), plan_of(exercise)
            for name, write in LAZY.items():
                passage = write(brief)
                assert len(passage) == 4
                assert all(len(voice) == len(plan.chords) for voice in passage), name
                changed = {f.rule for f in find_faults(passage, plan)} >= {"given-changed"}
                assert changed == (name == "octave-bass" and exercise.line == "bass"), name


def test_unchanged_hands_back_the_passage(exercise_of) -> None:  # type: ignore[no-untyped-def]
    exercise = exercise_of("repair")
    assert unchanged(brief_of(exercise)) == read_passage(exercise.start)


def test_static_voices_hold_and_nearest_tones_stay_in_the_chord(exercise_of) -> None:  # type: ignore[no-untyped-def]
    exercise = exercise_of("harmonise", "medium", 4, "bass")
    held = static_voices(brief_of(exercise))
    assert all(len(set(voice)) == 1 for voice in held[:3])
    near = nearest_tones(brief_of(exercise))
    assert not {f.rule for f in find_faults(near, plan_of(exercise))} & {"chord-tone", "range"}


def test_the_octave_bass_moves_by_an_octave(exercise_of) -> None:  # type: ignore[no-untyped-def]
    exercise = exercise_of("repair")
    moved = octave_bass(brief_of(exercise))[3]
    for i, (new, old) in enumerate(zip(moved, read_passage(exercise.start)[3], strict=True)):
        assert abs(new.semitone - old.semitone) == (12 if i in exercise.marked else 0)


def test_the_constant_answer_is_fitted_and_keeps_given_notes(exercise_of) -> None:  # type: ignore[no-untyped-def]
    training = [exercise_of("harmonise", "easy", n) for n in range(30)]
    play = fit_constant(training, Options("harmonise", "easy"))
    task = load_task("music", "harmonise-easy")
    sample = task.sample(0)
    exercise = task.decode_identity(sample.identity)
    view = View("", task.prompt.facts(exercise, "en"), (), sample.limits, "en", generator("x"))
    (move,) = list(play(view))
    ((name, arguments),) = move.calls
    assert name == "submit"
    passage = read_passage(arguments["passage"][voice] for voice in VOICES)
    assert "given-changed" not in {f.rule for f in find_faults(passage, plan_of(exercise))}


def test_declared_policies_cover_the_rules() -> None:
    declared = load_task("music", "repair-hard").policies
    kinds = {name: script.kind for name, script in declared.items()}
    assert kinds["reference"] == "reference"
    assert {n for n, k in kinds.items() if k == "lazy"} == {"random", "unchanged", "greedy", "octave-bass", "static"}
    assert all(script.view == "observation" for script in declared.values())
