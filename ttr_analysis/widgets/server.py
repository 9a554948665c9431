"""
Serve a widget as its own page, only to this machine and backed by Python.

The widget and its page communicate as in a notebook. This module stands in for
Jupyter's kernel, and `static/host.js` for the notebook page; both work for any widget.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import comm
from comm.base_comm import BaseComm
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from ttr_analysis.viz.html import PAGE_POLICY
from ttr_analysis.widgets.base import read_static, widget_page

if TYPE_CHECKING:
    import anywidget

WidgetT = TypeVar("WidgetT", bound="anywidget.AnyWidget")

HOST: Final = "127.0.0.1"
_MOST_BYTES: Final = 1 << 16
"""Maximum size of a message from the page; it sends only short ones."""


def serve(make: Callable[[], WidgetT], *, title: str, on_ready: Callable[[str], None]) -> None:
    """Serve a widget as a local page until interrupted; Ctrl-C works even while a policy is thinking."""
    asyncio.run(_Server[WidgetT](title).run(make, on_ready))


class _Server(Generic[WidgetT]):
    """Keeps the state of the widgets, and sends changes to the open pages."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.token = secrets.token_urlsafe(24)
        self.port = 0
        self._comms: dict[str, _Comm] = {}
        self._states: dict[str, dict[str, Any]] = {}
        self._pages: set[_Live] = set()

    async def run(self, make: Callable[[], WidgetT], on_ready: Callable[[str], None]) -> None:
        """Create the widget and serve it until canceled."""
        loop = asyncio.get_running_loop()

        def publish(sender: _Comm, kind: str, data: dict[str, Any]) -> None:
            if not loop.is_closed():  # widgets also send a message when Python exits
                loop.call_soon_threadsafe(self._on_change, sender, kind, data)

        with _comms_of(partial(_Comm, publish)), ThreadPoolExecutor(max_workers=1) as self._worker:
            self._widget = await loop.run_in_executor(self._worker, make)
            (socket,) = bind_sockets(0, HOST)
            self.port = socket.getsockname()[1]
            handlers = [("/", _Page, {"server": self}), ("/live", _Live, {"server": self})]
            # Requests are not logged: the address of a rejected one may contain the token.
            quiet: dict[str, Any] = {"websocket_max_message_size": _MOST_BYTES, "log_function": lambda _handler: None}
            server = HTTPServer(Application(handlers, **quiet))
            server.add_sockets([socket])
            on_ready(f"http://{HOST}:{self.port}/?token={self.token}")
            try:
                await asyncio.Event().wait()
            finally:
                server.stop()
                self._worker.shutdown(wait=True, cancel_futures=True)

    def is_allowed(self, request: RequestHandler) -> bool:
        """Return whether a request has the token and is addressed to this server."""
        given = request.get_query_argument("token", "")
        is_known = hmac.compare_digest(given.encode(), self.token.encode())
        return is_known and request.request.host == f"{HOST}:{self.port}"

    def open(self, page: _Live) -> None:
        """Send a page the current state, and later changes."""
        page.send({"root": self._widget.model_id, "states": self._states})
        self._pages.add(page)

    def close(self, page: _Live) -> None:
        """Stop sending changes to a page."""
        self._pages.discard(page)

    def forward(self, id_: str, data: dict[str, Any]) -> None:
        """Pass a page's message to its widget."""
        if id_ in self._comms:
            self._worker.submit(self._comms[id_].handle_msg, {"content": {"data": data}, "buffers": []})

    def _on_change(self, sender: _Comm, kind: str, data: dict[str, Any]) -> None:
        """Store a change of a widget's state, and send it to all pages."""
        id_ = sender.comm_id
        if kind == "comm_close":
            self._comms.pop(id_, None)
            self._states.pop(id_, None)
        elif state := data.get("state"):
            self._comms[id_] = sender
            self._states.setdefault(id_, {}).update(state)
            for page in self._pages:
                page.send({"id": id_, "state": state})


class _Comm(BaseComm):
    """A comm that passes a widget's messages to the server."""

    def __init__(self, publish: Callable[..., object], **options: Any) -> None:  # noqa: ANN401 - options of ipywidgets
        self._publish = publish
        super().__init__(**options)

    def publish_msg(
        self,
        msg_type: str,
        data: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,  # noqa: ARG002 - for Jupyter
        buffers: list[bytes] | None = None,  # noqa: ARG002 - no widget of this package has any
        **keys: object,  # noqa: ARG002 - for Jupyter
    ) -> None:
        """Pass a message on."""
        self._publish(self, msg_type, data or {})


@contextmanager
def _comms_of(make: Callable[..., BaseComm]) -> Iterator[None]:
    """Make widgets use these comms in place of a kernel's."""
    before, comm.create_comm = comm.create_comm, make
    try:
        yield
    finally:
        comm.create_comm = before


# -- HTTP handlers -------------------------------------------------------------------------------------------------


class _Handler(RequestHandler):
    def initialize(self, server: _Server[Any]) -> None:
        """Keep the server."""
        self.server = server

    def prepare(self) -> None:
        """Reject requests without the token, and requests from sites that rebind a host name to this machine."""
        if not self.server.is_allowed(self):
            raise HTTPError(403)


class _Page(_Handler):
    def get(self) -> None:
        """Send the page."""
        # Only a header can keep other pages from framing this one.
        policy = f"{PAGE_POLICY} blob:; connect-src ws://{self.request.host}"
        self.set_header("Content-Security-Policy", f"{policy}; frame-ancestors 'none'")
        self.set_header("Cache-Control", "no-store")
        script = read_static("model.js") + read_static("host.js")
        self.write(widget_page(self.server.title, _STYLES, script, before=_BEFORE, policy=policy))


class _Live(_Handler, WebSocketHandler):
    def open(self) -> None:
        """Start sending changes to the page."""
        self.server.open(self)

    def on_message(self, message: str | bytes) -> None:
        """Pass on a message from the page; ignore anything malformed."""
        try:
            match json.loads(message):
                case {"id": str(id_), "data": {"method": "custom" | "update"} as data}:
                    self.server.forward(id_, data)
        except (ValueError, RecursionError):
            return

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to the page, if it is still open."""
        try:
            self.write_message(json.dumps(message))
        except WebSocketClosedError:
            self.server.close(self)

    def on_close(self) -> None:
        """Stop sending changes to the page."""
        self.server.close(self)


_STYLES: Final = "#gone { margin: 0; padding: 8px 10px; font: 600 15px/1.4 system-ui, sans-serif; }"
_BEFORE: Final = """<link rel="icon" href="data:,">
<p id="gone" role="alert" hidden>Python has stopped, so this page no longer works.</p>
"""
