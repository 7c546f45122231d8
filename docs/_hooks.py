"""Write `hooks.md` from `harness.hookspecs`: every hook in the order of the data, with arguments, result and who wins.

python docs/_hooks.py            # write docs/hooks.md
python docs/_hooks.py --check    # exit with 1 if it is not current
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from harness import hookspecs

PAGE = Path(__file__).with_name("hooks.md")

HEAD = """\
# Hooks

<!-- written by docs/_hooks.py from harness/hookspecs.py; edit that, then run `python docs/_hooks.py` -->

A task is a module that answers the first hooks below; the entry point group `harness.tasks` names it. A plugin is a
module (or object) named by an entry point of the group `harness.plugins`; it takes part only in runs that choose it
with `--with NAME`, in the order given, and may answer any of the hooks: to replace a layer, or to extend it with a
wrapper.

```python
from harness import hookimpl

@hookimpl(wrapper=True)
def harness_tools(options):
    base = yield                      # the toolset class of the task

    class Tools(base):                # one more tool on the same world
        @tool
        def hint(self) -> str:
            \"\"\"Ask for a hint.\"\"\"
            return "…"

    return Tools
```

A hook whose name or arguments do not exist is an error when the plugin is loaded. A plugin that changes scoring gives
its reward an `id` of its own, so that runs scored in different ways are never compared; the names of the chosen plugins
are in the header of every trace and in the digest of the run.
"""


def hooks() -> list[str]:
    """Names of the hooks, in the order in which they are written."""
    nodes = ast.parse(Path(str(hookspecs.__file__)).read_text(encoding="utf-8")).body
    return [node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("harness_")]


def sections(name: str) -> Iterator[str]:
    """Yield the lines that describe a hook."""
    function = getattr(hookspecs, name)
    signature = inspect.signature(function)
    arguments = ", ".join(f"{p.name}: {p.annotation}" for p in signature.parameters.values())
    first = bool(getattr(function, "harness_spec", {}).get("firstresult"))
    yield f"## {name}\n"
    yield f"```python\ndef {name}({arguments}) -> {signature.return_annotation}\n```\n"
    yield f"*Results:* {'the first that is not None' if first else 'all are used'}.\n"
    yield from _text(inspect.getdoc(function) or "")


def _text(doc: str) -> Iterator[str]:
    """Turn a Google docstring into paragraphs and a list of arguments."""
    body, _, arguments = doc.partition("\n\nArgs:\n")
    yield body + "\n"
    for line in inspect.cleandoc(arguments).splitlines():
        name, _, text = line.partition(": ")
        yield f"- `{name}`: {text}"
    if arguments:
        yield ""


def page() -> str:
    """The whole page."""
    listed = "\n".join(f"{n}. [{name}](#{name})" for n, name in enumerate(hooks(), 1))
    return "\n".join([HEAD, listed, "", *(line for name in hooks() for line in sections(name))]).rstrip() + "\n"


def main() -> int:
    """Write the page, or say whether it is current."""
    if "--check" in sys.argv[1:]:
        return int(not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
