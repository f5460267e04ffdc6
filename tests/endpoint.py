"""An OpenAI-compatible endpoint that answers as it was told to, over real HTTP.

In a test, answers are queued, or made from each request::

    with Endpoint(completion('{"facts": []}')) as endpoint:
        OpenAIExtractor("stub", base_url=endpoint.url, api_key="k").extract(reading)

As a process of its own (for tests that kill what calls it), it prints its address first::

    python -m tests.endpoint script.json [requests.jsonl]

The script is a list of answers with the fields of `Answer`; the last is repeated for ever.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

PATHS = ("/v1/chat/completions", "/v1/embeddings")


@dataclass(frozen=True)
class Answer:
    """What the endpoint sends: a body as JSON, or as raw text or bytes.

    It waits for ``delay`` seconds before; with ``drop`` it hangs up without a word.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False

    @property
    def payload(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


@dataclass(frozen=True)
class Asked:
    """A request that came in, and when (in seconds of a clock that only runs forward)."""

    path: str
    headers: dict[str, str]
    body: Any
    at: float

    @property
    def prompt(self) -> str:
        """All the text that a model would read."""
        return "\n".join(message["content"] for message in self.body["messages"])


def completion(
    content: Any, *, finish_reason: str = "stop", refusal: str | None = None, **more: Any
) -> Answer:
    """Return an answer with a chat completion; what is no string is its JSON."""
    text = content if isinstance(content, str | None) else json.dumps(content)
    message = {"role": "assistant", "content": text, "refusal": refusal}
    choice = {"index": 0, "finish_reason": finish_reason, "message": message, "logprobs": None}
    body = {"id": "c1", "object": "chat.completion", "created": 0, "model": "stub"}
    return Answer({**body, "choices": [choice]}, **more)


def embeddings(vectors: Iterable[list[float]], **more: Any) -> Answer:
    """Return an answer with embeddings, in the order given."""
    data = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    return Answer({"object": "list", "model": "stub", "data": data, "usage": usage}, **more)


def failure(status: int, message: str = "no", **more: Any) -> Answer:
    """Return an error as OpenAI words it. A client that tries again need not wait for long."""
    headers = {"retry-after-ms": "5", **more.pop("headers", {})}
    error = {"message": message, "type": "error", "param": None, "code": None, **more}
    return Answer({"error": error}, status=status, headers=headers)


class Endpoint:
    """The server, in a thread. ``requests`` are those that came in, in their order."""

    def __init__(
        self, *answers: Answer, respond: Callable[[Asked], Answer] | None = None, port: int = 0
    ) -> None:
        self.requests: list[Asked] = []
        self.answers = deque(answers)
        self._respond = respond or self._next
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.endpoint = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.requests.append(asked)
            answer = self._respond(asked) if asked.path in PATHS else failure(404)
        self._closed.wait(answer.delay) if answer.delay else None
        return answer

    def _next(self, _: Asked) -> Answer:
        if not self.answers:
            return failure(400, "the script has no more answers")
        return self.answers.popleft()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    endpoint: Endpoint

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up, as the tests make them do."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.path, headers, json.loads(body), time.monotonic())
        self._send(self.server.endpoint.answer(asked))

    def do_GET(self) -> None:
        self._send(failure(404))

    def _send(self, answer: Answer) -> None:
        # One request to a connection: none is left open when a test is over.
        self.close_connection = True
        if answer.drop:
            return
        self.send_response(answer.status)
        headers = {"content-type": "application/json", **answer.headers}
        for name, value in {**headers, "connection": "close"}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer.payload)))
        self.end_headers()
        self.wfile.write(answer.payload)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the tests' output to the tests."""


def main(script: str, log: str | None = None) -> None:
    """Serve a script from a file until the process ends."""
    answers = [Answer(**answer) for answer in json.loads(Path(script).read_text("utf-8"))]

    def respond(asked: Asked) -> Answer:
        if log:
            with Path(log).open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(asked)) + "\n")
        return answers.pop(0) if len(answers) > 1 else answers[0]

    with Endpoint(respond=respond) as endpoint:
        print(endpoint.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
