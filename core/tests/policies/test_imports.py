from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["harness.policies", "harness.testing", "harness.policies._chaos"])
def test_no_http_client_is_imported_before_one_is_asked_for(module: str) -> None:
    code = f"import sys, {module}; print(sorted({{'aiohttp', 'openai', 'yaml', 'numpy'}} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
