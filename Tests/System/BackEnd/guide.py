"""Runs what the guide BackEnds shows: its blocks for the shell and for Python, in their order."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from scenarios import Site

PAGE = Path(__file__).parents[3] / "Sources/Device/Database/Causeway.docc/BackEnds.md"


def blocks(language: str) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found, f"{PAGE.name} shows no {language}"
    return "\n".join(found)


def run_guide(site: Site) -> None:
    """what the guide shows runs"""
    server = site.server
    address = f"https://localhost:{site.api_port}/api/v1"
    shell = blocks("bash").replace("https://localhost:7445/api/v1/flights", f"{address}/{server.database}")
    environment = {**os.environ, "PATH": f"{server.program.parent}:{os.environ['PATH']}"}
    script = f"set -euo pipefail\n{shell}\ncp /dev/null done\n"
    done = subprocess.run(
        ["bash", "-c", script], cwd=server.folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 and (server.folder / "done").exists(), done.stdout + done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 7 and answers[3]["objects"] == [answers[2]] and answers[6]["key"] == 2, done.stdout
    environment |= {"API": f"{address}/{server.database}", "TOKEN": server.token(site.world.user)}
    done = subprocess.run(
        [sys.executable, "-c", blocks("python")], cwd=server.folder, env=environment, capture_output=True, text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("1 ['ORD', 'LAX']"), done.stdout
    flight = site.back_end().expect(200, "GET", "objects/Flight/1")
    assert flight["gate"] == "B7" and flight["seats"] == 177, flight
