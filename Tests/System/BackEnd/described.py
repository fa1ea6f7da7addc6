"""Compares what a daemon answers with what its OpenAPI document says, by generated requests."""

import re
import subprocess
import sys
from pathlib import Path

from scenarios import Site

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
)
EXAMPLES = 50


def described(site: Site) -> None:
    """generated requests are answered as the document says"""
    back_end = site.back_end()
    back_end.expect(201, "POST", "objects/Flight", {"row": 1, "origin": "JFK"})
    text = back_end.call("GET", "/api/v1/openapi.yaml").body.decode()
    # The paths that are there: a generated database or class is unknown nearly always.
    for name, schema in (("database", f"{{const: {site.server.database}}}"), ("class", "{enum: [Flight, Place, None]}")):
        place = rf"(name: {name}\n      in: path\n      required: true\n      schema: ).*"
        text, count = re.subn(place, rf"\g<1>{schema}", text)
        assert count == 1, name
    document = site.server.folder / "openapi.yaml"
    document.write_text(text)
    done = subprocess.run(
        [
            *(str(Path(sys.executable).parent / "schemathesis"), "run", str(document)),
            *("--url", f"https://localhost:{site.api_port}/api/v1", "--tls-verify", site.server.authority),
            *("--header", f"Authorization: Bearer {back_end.token}", "--checks", ",".join(CHECKS)),
            *("--max-examples", str(EXAMPLES), "--seed", "1", "--no-color", "--phases", "fuzzing"),
        ],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    # The first connection was idle for too long.
    site.back_end().expect(200, "GET", "schema")
