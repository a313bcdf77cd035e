"""A real S3 server on loopback, and a wire to it that notes what is asked and can be cut."""

from __future__ import annotations

import logging
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import obstore
from moto.server import ThreadedMotoServer
from obstore.store import S3Store

SECRET = "wJalr/not-a-real/secret"  # noqa: S105 - opens nothing


@dataclass
class Wire:
    """Between program and server. `asked`: keys fetched; an answer for a key in `cut` stops after so many bytes."""

    server: str
    url: str = ""
    asked: list[str] = field(default_factory=list)
    cut: dict[str, int] = field(default_factory=dict)
    flipped: set[str] = field(default_factory=set)

    def make(self, bucket: str) -> None:
        """Make a bucket."""
        request = urllib.request.Request(f"{self.server}/{bucket}", method="PUT")  # noqa: S310 - loopback
        urllib.request.urlopen(request).close()  # noqa: S310

    def store(self, bucket: str) -> S3Store:
        """The bucket, without the wire."""
        return S3Store(
            bucket,
            endpoint=self.server,
            client_options={"allow_http": True},
            access_key_id="x",
            secret_access_key="x",  # noqa: S106 - opens nothing
        )

    def put(self, bucket: str, key: str, content: bytes) -> None:
        """Store an object."""
        obstore.put(self.store(bucket), key, content)

    def delete(self, bucket: str, key: str) -> None:
        """Remove an object."""
        obstore.delete(self.store(bucket), key)

    def empty(self, bucket: str) -> None:
        """Remove all objects."""
        store = self.store(bucket)
        obstore.delete(store, [one["path"] for page in obstore.list(store) for one in page])

    def fetched(self) -> list[str]:
        """Keys fetched since this was asked last, sorted."""
        keys, self.asked[:] = sorted(self.asked), []
        return keys


@contextmanager
def wire() -> Iterator[Wire]:
    """Start the server and a wire to it."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    between = Wire(f"http://{host}:{port}")

    class Passing(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            headers = {name: value for name, value in self.headers.items() if name.lower() != "accept-encoding"}
            request = urllib.request.Request(between.server + self.path, headers=headers)  # noqa: S310
            try:
                answer: Any = urllib.request.urlopen(request)  # noqa: S310
            except urllib.error.HTTPError as error:
                answer = error
            with answer:
                body = answer.read()
            key = urllib.parse.unquote(self.path.split("?")[0].split("/", 2)[-1])
            if "list-type" not in self.path:
                between.asked.append(key)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in ("transfer-encoding", "connection", "date", "server"):
                    self.send_header(name, value)
            self.end_headers()
            if key in between.flipped:
                body = bytes([body[0] ^ 1]) + body[1:]
            limit = between.cut.get(key)
            self.wfile.write(body if limit is None else body[:limit])
            self.close_connection = limit is not None

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Passing)
    proxy.daemon_threads = True
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    between.url = f"http://127.0.0.1:{proxy.server_address[1]}"
    try:
        yield between
    finally:
        proxy.shutdown()
        proxy.server_close()
        moto.stop()
