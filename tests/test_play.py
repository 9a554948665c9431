"""`ttr-analysis play` without a browser: who may speak with it, what it answers, and what it saves."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from tornado.httpclient import HTTPClientError
from tornado.websocket import WebSocketClientConnection, websocket_connect

from tests.fixtures import Command
from tests.serving import Served, served
from ttr_analysis import Game, GameRecord, cli
from ttr_analysis.cli import games
from ttr_analysis.widgets.table import GameTable, seats_of

pytestmark = pytest.mark.compiled_only


def status(address: str, **headers: str) -> int:
    """Return what a server answers to a request."""
    try:
        with urlopen(Request(address, headers=headers), timeout=10) as answer:  # noqa: S310 - our own server
            assert isinstance(answer.status, int)
            return answer.status
    except HTTPError as error:
        with error:
            return error.code


def live(served: Served, token: str | None = None) -> str:
    """Return where a page of a server speaks with it."""
    parts = urlsplit(served.address)
    return f"ws://{parts.netloc}/live?{parts.query if token is None else f'token={token}'}"


async def heard(page: WebSocketClientConnection) -> dict[str, Any]:
    """Return what a page is told next."""
    message = await asyncio.wait_for(page.read_message(), 30)
    assert message is not None
    told: dict[str, Any] = json.loads(message)
    return told


async def play(served: Served, *lines: str) -> dict[str, Any]:
    """Make moves as a page does; return what it knows of the table at the end."""
    page = await websocket_connect(live(served))
    hello = await heard(page)
    root, table = hello["root"], hello["states"][hello["root"]]
    for line in lines:
        move = {"do": "move", "step": table["now"]["step"], "line": line}
        move = {"do": line} if line == "continue" else move
        for nonsense in ("no json", "[]", '{"id": 1}', json.dumps({"id": "x", "data": {"method": "custom"}})):
            await page.write_message(nonsense)
        await page.write_message(json.dumps({"id": root, "data": {"method": "custom", "content": move}}))
        before = table["now"]["step"]
        while table["now"]["step"] == before or table["busy"] or not table["now"]["options"]:
            told = await heard(page)
            table.update(told["state"] if told["id"] == root else {})
    while table["busy"] or not table["now"]["options"]:
        told = await heard(page)
        table.update(told["state"] if told["id"] == root else {})
    page.close()
    while await asyncio.wait_for(page.read_message(), 30) is not None:
        pass  # the socket closes once the server has answered; left open, it fails whichever test collects it
    return {**table, "root": root}


def test_a_game_is_played_over_the_socket_and_saved(tmp_path: Path) -> None:
    options = ["--seats", "greedy,Ida", "--seed", "7", "--save", "mine.jsonl"]
    with served("nordic", *options, folder=tmp_path) as table:
        with urlopen(table.address, timeout=10) as page:  # noqa: S310 - our own server
            assert "; frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
        state = asyncio.run(play(table, "keep all", "draw", "draw"))
        code, said, complaints = table.stop()

    assert (code, said) == (0, "mine.jsonl")
    assert not complaints
    assert state["facts"]["names"] == ["Greedy", "Ida"]
    record = GameRecord.load(tmp_path / "mine.jsonl")
    assert record.header.policies == ("Greedy", "Ida")
    assert len(record.steps) == state["now"]["step"]
    assert [path.name for path in tmp_path.iterdir()] == ["mine.jsonl"]


def test_who_does_not_know_the_address_is_refused(tmp_path: Path) -> None:
    with served("nordic", folder=tmp_path) as table:
        bare = table.address.partition("?")[0]
        port = urlsplit(table.address).port
        for address in (bare, f"{bare}?token=", f"{bare}?token=%C3%A9", f"{bare}live?token=x"):
            assert status(address) == 403
        assert status(table.address, Host=f"elsewhere.example:{port}") == 403
        with pytest.raises(HTTPClientError, match="403"):
            asyncio.run(_connect(live(table, token="guess")))  # noqa: S106 - a wrong one
        code, said, complaints = table.stop()
    assert (code, said, complaints) == (0, "nothing was played", "")  # what was asked for is not printed
    assert not list(tmp_path.iterdir())


async def _connect(address: str) -> None:
    (await websocket_connect(address)).close()


def test_a_game_is_continued_after_a_crash(tmp_path: Path) -> None:
    with served("nordic", "--seats", "planner,Ida,Greedy", "--seed", "7", folder=tmp_path) as table:
        before = asyncio.run(play(table, "keep all", *["draw"] * 4))
        table.kill()

    with served("nordic", "--continue", "games/nordic.jsonl", folder=tmp_path) as table:
        after = asyncio.run(play(table))
        later = asyncio.run(play(table, "draw"))
        table.stop()

    assert [after[what] for what in ("facts", "now")] == [before[what] for what in ("facts", "now")]
    assert later["now"]["step"] > before["now"]["step"]
    assert [path.name for path in (tmp_path / "games").iterdir()] == ["nordic.jsonl"]
    assert len(GameRecord.load(tmp_path / "games" / "nordic.jsonl").steps) == later["now"]["step"]


def test_the_page_offers_to_continue_the_last_game(tmp_path: Path) -> None:
    with served("nordic", "--seats", "planner,Ida,Greedy", "--seed", "7", folder=tmp_path) as table:
        before = asyncio.run(play(table, "keep all", "draw"))
        table.kill()

    with served("nordic", folder=tmp_path) as table:
        new = asyncio.run(play(table))
        after = asyncio.run(play(table, "continue"))
        later = asyncio.run(play(table, "draw"))
        _, _, offer = table.stop()

    assert offer.strip().endswith("or with --continue games/nordic.jsonl")
    assert new["offered"]
    assert new["facts"]["names"] == ["Person", "Planner"]
    assert not after["offered"]
    assert [after[what] for what in ("facts", "now")] == [before[what] for what in ("facts", "now")]
    assert [path.name for path in (tmp_path / "games").iterdir()] == ["nordic.jsonl"]
    assert len(GameRecord.load(tmp_path / "games" / "nordic.jsonl").steps) == later["now"]["step"]


def test_the_latest_game_that_is_not_over_is_offered(tmp_path: Path) -> None:
    table = GameTable("nordic", "Greedy", seed=7)
    table.play("keep all")
    first, second = paths = (tmp_path / "mine.jsonl", tmp_path / "mine-2.jsonl")
    for path in paths:
        table.record.save(path)
    os.utime(first, (0, 0))
    assert games._last_game(first, table.record.map) == (second, table.record)
    over = Game("nordic").play(["Greedy", "Greedy"], seed=7)
    over.save(second)
    assert games._last_game(first, table.record.map) == (first, table.record)
    over.save(first)
    assert games._last_game(first, table.record.map) is None


def test_who_has_moved_keeps_the_new_game() -> None:
    saved = GameTable("nordic", "Greedy", seed=7)
    saved.play("keep all")
    table = GameTable("nordic", "Greedy", seed=8)
    table.offer(saved.record, lambda _: pytest.fail("it was continued"))
    table.play("keep all")
    table._handle({"do": "continue"})
    assert table.record.header.seed == 8


@pytest.mark.parametrize(
    ("options", "said"),
    [("", "is over"), ("--seed 7", "those of the saved game"), ("--continue none.jsonl", "No such file")],
)
def test_a_game_that_cannot_be_continued_is_refused(options: str, said: str, command: Command) -> None:
    Game("nordic").play(["Greedy", "Greedy"], seed=7).save(Path("game.jsonl"))
    assert said in command(f"play nordic --continue game.jsonl {options}", code=cli.USAGE)


def test_no_file_is_written_over(tmp_path: Path, command: Command) -> None:
    (tmp_path / "mine.jsonl").write_text("an older game")
    assert "already exists" in command("play nordic --save mine.jsonl", code=cli.USAGE)


def test_a_person_may_sit_anywhere() -> None:
    assert seats_of(["Ida", "planner"]) == (0, "Ida", ["planner"])
    assert seats_of(["Random", "Greedy", "Bo"]) == (2, "Bo", ["Random", "Greedy"])
