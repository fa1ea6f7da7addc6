"""Compares what a daemon answers with what its OpenAPI documents say, by generated requests."""

import re
import subprocess
import sys
import urllib.request
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


def conforms(site: Site, text: str, places: dict[str, str], url: str, token: str, *more: str) -> None:
    """Generates requests from a document. `places` says what parameters of paths are: a generated database is unknown
    nearly always."""
    for name, schema in places.items():
        place = rf"(name: {name}\n      in: path\n      required: true\n      schema: ).*"
        text, count = re.subn(place, rf"\g<1>{schema}", text)
        assert count == 1, name
    document = site.server.folder / "openapi.yaml"
    document.write_text(text)
    done = subprocess.run(
        [
            *(str(Path(sys.executable).parent / "schemathesis"), "run", str(document)),
            *("--url", url, "--header", f"Authorization: Bearer {token}", "--checks", ",".join(CHECKS)),
            *("--max-examples", str(EXAMPLES), "--seed", "1", "--no-color", "--phases", "fuzzing", *more),
        ],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]


def described(site: Site) -> None:
    """generated requests are answered as the document says"""
    back_end = site.back_end()
    back_end.expect(201, "POST", "objects/Flight", {"row": 1, "origin": "JFK"})
    text = back_end.call("GET", "/api/v1/openapi.yaml").body.decode()
    places = {"database": f"{{const: {site.server.database}}}", "class": "{enum: [Flight, Place, None]}"}
    url = f"https://localhost:{site.api_port}/api/v1"
    conforms(site, text, places, url, back_end.token, "--tls-verify", site.server.authority)
    # The first connection was idle for too long.
    site.back_end().expect(200, "GET", "schema")


def administered(site: Site) -> None:
    """generated calls of an administrator are answered as the document says"""
    assert site.admin
    url = f"http://localhost:{site.admin.port}"
    request = urllib.request.Request(
        f"{url}/admin/v1/openapi.yaml", headers={"Authorization": f"Bearer {site.admin.token}"}
    )
    with urllib.request.urlopen(request) as answer:
        text = answer.read().decode()
    places = {"database": f"{{enum: [{site.server.database}, none]}}", "client": "{enum: ['1', '7', x]}"}
    # Events have no end.
    conforms(site, text, places, url, site.admin.token, "--exclude-path", "/admin/v1/events")
