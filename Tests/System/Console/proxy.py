"""Serves the console from a folder, and passes everything else on to a daemon: to see a change without a build.

    python3 Tests/System/Console/proxy.py --to 7444 --page Server/Console/page
"""

import argparse
import http.client
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".html": "text/html"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def handler(port: int, page: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            if self.path.startswith("/console"):
                self._file(self.path.removeprefix("/console").strip("/") or "index.html")
            else:
                self._pass_on()

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        def _file(self, name: str) -> None:
            file = (page / name).resolve()
            if not file.is_relative_to(page) or not file.is_file():
                return self.send_error(404)
            self._send(200, {"content-type": TYPES[file.suffix], "content-security-policy": POLICY}, file.read_bytes())

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            named = ["authorization", "content-type", "if-match"]
            headers = {name: self.headers[name] for name in named if self.headers[name]}
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            try:
                connection.request(self.command, self.path, body, headers)
                answer = connection.getresponse()
                if answer.getheader("content-type") == "text/event-stream":
                    return self._stream(answer)
                headers = {name: answer.getheader(name) or "" for name in ("content-type", "etag")}
                self._send(answer.status, headers, answer.read())
            except OSError:
                # As if the daemon itself had been called.
                self.close_connection = True
            finally:
                connection.close()

        def _stream(self, answer: http.client.HTTPResponse) -> None:
            """Passes on what the daemon sends as it comes, until one of the two ends."""
            self.send_response(answer.status)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            while piece := answer.read1(65_536):
                self.wfile.write(piece)
            self.close_connection = True

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body)), "cache-control": "no-cache"}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def serve(port: int, page: Path, own_port: int = 0) -> ThreadingHTTPServer:
    return ThreadingHTTPServer(("127.0.0.1", own_port), handler(port, page.resolve()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=int, required=True, help="the port of the daemon's admin listener")
    parser.add_argument("--page", type=Path, default=Path("Server/Console/page"), help="the console's files")
    parser.add_argument("--port", type=int, default=7450)
    arguments = parser.parse_args()
    print(f"http://127.0.0.1:{arguments.port}/console/", flush=True)
    serve(arguments.to, arguments.page, arguments.port).serve_forever()


if __name__ == "__main__":
    main()
