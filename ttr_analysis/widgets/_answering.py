"""A widget whose answer follows from its inputs, whoever sets them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import anywidget
import traitlets

from ttr_analysis.widgets.answers.words import ImpossibleError, Json


class AnsweringWidget(anywidget.AnyWidget):
    """
    Inputs that Python and the browser set alike, and one answer in plain JSON.

    A subclass names its inputs, and says what they mean in `_answer_now`.
    What never changes, such as the board, is in `facts`, sent once.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    """Names of the traits that ask."""

    facts = traitlets.Dict(read_only=True).tag(sync=True)
    answer = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(self, **inputs: object) -> None:
        super().__init__(**inputs)
        self._answered = self._asked()
        self.observe(self._update, list(self.inputs))

    def __repr__(self) -> str:
        """Return what is said: all that is seen where no widget can be drawn."""
        return f"<{type(self).__name__}: {self.answer['said']}>"

    @traitlets.default("facts")
    def _first_facts(self) -> Json:
        return self._facts()

    @traitlets.default("answer")
    def _first_answer(self) -> Json:
        return self._answer()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the browser sends: it sets inputs, and nothing that is computed."""
        computed = {name for name, trait in self.traits().items() if trait.read_only}
        super().set_state({name: value for name, value in sync_data.items() if name not in computed})

    def _asked(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.inputs)

    def _update(self, _change: object) -> None:
        # Several inputs may come at once, and each of them is announced.
        if self._asked() != self._answered:
            self._answered = self._asked()
            self.set_trait("answer", self._answer())

    def _answer(self) -> Json:
        try:
            return {"problem": ""} | self._answer_now()
        except ImpossibleError as error:
            return {"problem": str(error), "said": str(error), "kind": error.kind}

    @abstractmethod
    def _facts(self) -> Json:
        """Return what never changes."""

    @abstractmethod
    def _answer_now(self) -> Json:
        """
        Return the answer to the inputs as they are.

        Raises
        ------
        ImpossibleError
            If they cannot be so.
        """
