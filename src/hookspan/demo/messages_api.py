"""A scripted Anthropic Messages API on loopback: real HTTP and real server-sent events, no model behind them."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, cast

from hookspan.demo import wire
from hookspan.demo.script import Asked, Call, Refusal, Script, Turn

HOST = "127.0.0.1"


class MessagesApi:
    """Answers `POST /v1/messages` from a script while the `with` block runs; requests are served concurrently.

    `requests` holds what was asked, in the order it came; `complaints` what was wrong with it (the client got status 400
    with the same text). `port` 0 takes a free one; a port that is taken raises OSError, which names it.
    """

    def __init__(self, script: Script, *, port: int = 0) -> None:
        self._script = script
        self._port = port
        self._lock = threading.Lock()
        self._used: Counter[int] = Counter()
        self._stopping = threading.Event()
        self.requests: list[Asked] = []
        self.complaints: list[str] = []

    def __enter__(self) -> Self:
        try:
            self._server = _Server((HOST, self._port), self)
        except OSError as error:
            raise OSError(error.errno, f"cannot listen on {HOST}:{self._port or '(any port)'}: {error.strerror}") from error
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="messages-api", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The base URL for a client, without `/v1`."""
        return f"http://{HOST}:{self._server.server_address[1]}"

    def answer(self, body: bytes) -> tuple[Asked, Turn, str] | Refusal:
        """The request, the turn that answers it and the message's id; or the error that it gets."""
        try:
            request = wire.read(body)
            with self._lock:
                self.requests.append(request)
                found, use = self._take(request)
                if isinstance(found, Refusal):
                    return found
            _check_tools(request, found)
        except wire.InvalidRequestError as error:
            with self._lock:
                self.complaints.append(str(error))
            return Refusal(lambda _: True, 400, "invalid_request_error", str(error))
        return request, found, use

    def _take(self, request: Asked) -> tuple[Turn | Refusal, str]:
        """The first turn that fits and is not used up. Message ids tell the turn and its use, so that they are the
        same in every run, in whatever order parallel agents ask."""
        for index, turn in enumerate(self._script):
            if (turn.times is None or self._used[index] < turn.times) and turn.when(request):
                self._used[index] += 1
                return turn, f"msg_{index + 1:02d}_{self._used[index]}"
        raise wire.InvalidRequestError(
            f"the script has no turn for {len(request.results)} tool results of the agent with the system prompt {request.system[:80]!r}"
        )

    def wait(self, seconds: float) -> None:
        """A scripted delay; ends early when the server stops."""
        self._stopping.wait(seconds)


def _check_tools(request: Asked, turn: Turn) -> None:
    wanted = {block.name for block in turn.blocks if isinstance(block, Call)}
    if missing := wanted - request.tools:
        raise wire.InvalidRequestError(f"the script calls tools that the request does not offer: {', '.join(sorted(missing))}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client may hold its kept-alive connection open for longer than we live
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], api: MessagesApi) -> None:
        self.api = api
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        # Not HTTPServer's own: it looks up the host's name, which may ask the network.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = HOST, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that went away in the middle of an answer (Ctrl-C) is no fault of the server's.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a small write waits up to 40 ms for the client's acknowledgement

    @property
    def _api(self) -> MessagesApi:
        return cast("_Server", self.server).api

    def do_POST(self) -> None:
        body = self._body()
        if self.path.partition("?")[0] != "/v1/messages":
            return self._json(404, wire.failure("not_found_error", f"no such path: {self.path}"))
        if not (self.headers.get("x-api-key") or self.headers.get("authorization")):
            return self._json(401, wire.failure("authentication_error", "x-api-key header is required"))
        if not self.headers.get("anthropic-version"):
            return self._json(400, wire.failure("invalid_request_error", "anthropic-version: header is required"))
        answered = self._api.answer(body)
        if isinstance(answered, Refusal):
            self._api.wait(answered.delay_s)
            return self._json(answered.status, wire.failure(answered.kind, answered.message))
        request, turn, message_id = answered
        self._api.wait(turn.delay_s)
        if request.streaming:
            return self._stream(wire.events(turn, id=message_id, model=request.model))
        return self._json(200, wire.message(turn, id=message_id, model=request.model))

    def do_GET(self) -> None:
        self._json(404, wire.failure("not_found_error", f"no such path: {self.path}"))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the base class names it so
        """Nothing: stderr belongs to the program under demonstration."""

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _json(self, status: int, value: Mapping[str, object]) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("retry-after-ms", "10")  # clients that retry would wait for seconds
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Iterable[bytes]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in events:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
        self.wfile.write(b"0\r\n\r\n")
