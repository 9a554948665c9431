"""A widget that shows what Python says, and to which the browser talks in messages."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import anywidget
import traitlets


class TalkingWidget(anywidget.AnyWidget):
    """
    Facts that never change, what is to be seen now, and messages from the browser, which are checked.

    The browser sets nothing: what it sends as a trait is not looked at.
    """

    facts = traitlets.Dict(read_only=True).tag(sync=True)
    now = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(self) -> None:
        super().__init__()
        self.on_msg(self._on_message)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take nothing from the browser but messages."""

    def _on_message(self, _widget: object, content: object, _buffers: object) -> None:
        self._hear(content)

    @abstractmethod
    def _hear(self, message: object) -> None:
        """Do what a message asks for, if it is a right one."""
