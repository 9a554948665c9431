"""JupyterLab with a notebook open, driven in a real browser; for tests, benchmarks and pictures of the widgets."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Error, Locator, Page, Route, sync_playwright

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
START_SECONDS = 60.0
"""For the server."""

DISABLED = (
    "apputils-extension:announcements",  # asks about news, in front of all else
    "debugger-extension",  # complains of kernels that are left
    "extensionmanager-extension",  # looks for packages in the network
)
UNHEARD = "Could not send widget sync message"
UNANSWERED = "Canceled future for create_subshell_request"
"""What JupyterLab says, some time after it has closed a notebook so soon that the kernel did not answer."""
LIGHT, DARK = "JupyterLab Light", "JupyterLab Dark"

# Opens a notebook on the kernel that is running, if one is, and runs its cells once that is idle. Returns the kernel
# and what went wrong in a cell.
OPEN = """async ([path, kernel]) => {
  const {commands, shell} = window.jupyterapp;
  const panel = await commands.execute('docmanager:open', {path, factory: 'Notebook', kernel: kernel && {id: kernel}});
  await panel.context.ready;
  await panel.sessionContext.ready;
  const {session} = panel.sessionContext;
  while (session.kernel.status !== 'idle') await new Promise(done => setTimeout(done, 20));
  shell.activateById(panel.id);
  await commands.execute('notebook:run-all-cells');
  const outputs = panel.content.widgets.flatMap(cell => cell.model.outputs?.toJSON() ?? []);
  const fault = outputs.find(output => output.output_type === 'error');
  return [session.kernel.id, fault ? fault.traceback.join('\\n') : ''];
}"""
# Whatever widgets the kernel still has, JupyterLab would get for the next notebook: these it closes as well.
CLOSE = """async kernel => {
  const {serviceManager, shell} = window.jupyterapp;
  for (const panel of [...shell.widgets('main')]) panel.dispose();
  if (!kernel) return;
  const connection = serviceManager.kernels.connectTo({model: {id: kernel, name: 'python3'}, handleComms: false});
  await connection.requestExecute({code: 'import ipywidgets; ipywidgets.Widget.close_all()', silent: true}).done;
  connection.dispose();
}"""
# JupyterLab lays its panels out anew some time after its window got another size.
MARGIN = "() => innerWidth - window.jupyterapp.shell.currentWidget.node.getBoundingClientRect().right"
CELLS = """() => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  return [notebook.widgets.length, notebook.activeCellIndex, notebook.mode];
}"""

ASK = """async expression => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const asked = {code: '', silent: true, user_expressions: {answer: expression}};
  const {answer} = (await kernel.requestExecute(asked).done).content.user_expressions;
  if (answer.status !== 'ok') throw Error(`${answer.ename}: ${answer.evalue}`);
  return answer.data['text/plain'];
}"""


def find_browser() -> str | None:
    """Return the path of Chromium, or None if there is none; `TTR_CHROMIUM` names another."""
    return os.environ.get("TTR_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start Chromium without a window."""
    path = find_browser()
    if path is None:
        raise FileNotFoundError(f"no Chromium was found; looked for {', '.join(BROWSERS)}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """
    What goes wrong in a page: errors, also those in its console, and dialogs, which nobody should see.

    Parameters
    ----------
    page
        The page.
    """

    def __init__(self, page: Page) -> None:
        self.faults: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", self._on_error)
        page.on("dialog", self._on_dialog)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _on_error(self, error: Error) -> None:
        if UNANSWERED not in str(error):
            self.faults.append(f"error: {error}")

    def _on_dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@contextmanager
def opened(browser: Browser, address: str, **look: Any) -> Iterator[Page]:  # noqa: ANN401 - as Playwright has it
    """Open a page that is served, and see afterwards that nothing went wrong in it."""
    page = browser.new_page(**look)
    watch = Watch(page)
    try:
        page.goto(address)
        yield page
    finally:
        page.close()
    assert watch.faults == []


class Lab:
    """
    JupyterLab in a page of the browser.

    Parameters
    ----------
    page
        The page, in which JupyterLab has been loaded.
    folder
        The folder that the server shows.
    """

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.watch = Watch(page)
        self._kernel: str | None = None
        self._n_notebooks = 0

    def run(self, *cells: str) -> None:
        """Run some cells in a new notebook, the only one open, however long it takes."""
        self._n_notebooks += 1
        path = self.folder / f"{self._n_notebooks}.ipynb"
        path.write_text(json.dumps(notebook(*cells)), encoding="utf-8")
        n_faults = len(self.watch.faults)
        self.page.evaluate(CLOSE, self._kernel)
        # A widget that goes with its notebook may have something left to say, which nobody hears any more.
        self.watch.faults[n_faults:] = [fault for fault in self.watch.faults[n_faults:] if UNHEARD not in fault]
        self._kernel, fault = self.page.evaluate(OPEN, [path.name, self._kernel])
        if fault:
            raise RuntimeError(f"a cell failed:\n{fault}")

    def show(self, *cells: str) -> Locator:
        """Run some cells and return the widget of the last."""
        self.run(*cells)
        widget = self.page.locator(".jp-Notebook .ttr").last
        widget.wait_for()
        return widget

    def ask(self, expression: str) -> str:
        """Return what an expression is in the kernel, as text."""
        answer: str = self.page.evaluate(ASK, expression)
        return answer

    def use_theme(self, name: str) -> None:
        """Change to `LIGHT` or `DARK`."""
        command = "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})"
        self.page.evaluate(command, name)
        self.page.wait_for_selector(f"body[data-jp-theme-name='{name}']", state="attached")

    def resize(self, width: int, height: int) -> None:
        """Give the page another size, and wait until the notebook fills it as it did before."""
        margin = self.page.evaluate(MARGIN)
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function(f"margin => ({MARGIN})() === margin", arg=margin)

    @property
    def cells(self) -> tuple[int, int, str]:
        """The number of cells, the active one, and whether JupyterLab edits or commands."""
        number, active, mode = self.page.evaluate(CELLS)
        return number, active, mode


class Disk:
    """
    A page of the browser that shows files and can reach nothing else.

    Parameters
    ----------
    page
        The page.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.watch = Watch(page)
        page.route("**/*", self._only_files)

    def _only_files(self, route: Route) -> None:
        address = route.request.url
        if address.startswith("file:"):
            route.continue_()
        else:
            self.watch.faults.append(f"network: {address}")
            route.abort()

    def show(self, path: Path) -> Locator:
        """Open a page that a widget has written, and return the widget."""
        self.page.goto(path.as_uri())
        widget = self.page.locator(".ttr").first
        widget.wait_for()
        return widget


def notebook(*cells: str) -> dict[str, Any]:
    """Return a notebook of code cells."""
    blank: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    return {
        "cells": [{**blank, "id": f"cell-{i}", "source": source} for i, source in enumerate(cells)],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


@contextmanager
def start_server(folder: Path) -> Iterator[str]:
    """Run JupyterLab, without any settings of the user, on an empty folder; yield its address."""
    home, shown = folder / "home", folder / "shown"
    settings = home / "config" / "labconfig" / "page_config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"disabledExtensions": {f"@jupyterlab/{name}": True for name in DISABLED}}), "utf-8")
    shown.mkdir()
    port, token = _free_port(), secrets.token_hex(16)
    address = f"http://127.0.0.1:{port}"
    kinds = ("JUPYTER_CONFIG", "JUPYTER_DATA", "JUPYTER_RUNTIME", "JUPYTERLAB_SETTINGS", "JUPYTERLAB_WORKSPACES")
    places = {f"{kind}_DIR": str(home / kind.rpartition("_")[2].lower()) for kind in kinds}
    python_path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser"]
    options = {
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": shown,
        "IdentityProvider.token": token,
    }
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, *(f"--{name}={value}" for name, value in options.items())],
            cwd=shown,
            env={**os.environ, **places, "IPYTHONDIR": str(home / "ipython"), "PYTHONPATH": python_path},
            stdout=log,
            stderr=log,
        )
        try:
            _wait_for(f"{address}/api/status?token={token}", server, folder / "server.log")
            yield f"{address}/lab?token={token}"
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urlopen(address, timeout=5):  # noqa: S310 - our own server
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError(f"JupyterLab did not start:\n{log.read_text('utf-8', 'replace')[-3000:]}")


@contextmanager
def open_lab(browser: Browser, folder: Path, *, width: int = 1300, height: int = 1000) -> Iterator[Lab]:
    """Run JupyterLab and open it in a page of some size."""
    with start_server(folder) as address:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(30_000)
        try:
            page.goto(address)
            page.wait_for_function("window.jupyterapp !== undefined")
            page.evaluate("() => window.jupyterapp.restored")
            page.set_default_timeout(10_000)
            yield Lab(page, folder / "shown")
        finally:
            page.close()


@contextmanager
def open_disk(browser: Browser, *, width: int = 1300, height: int = 1000) -> Iterator[Disk]:
    """Open a page of some size for files, without network."""
    with browser.new_context(offline=True, viewport={"width": width, "height": height}) as context:
        page = context.new_page()
        page.set_default_timeout(10_000)
        yield Disk(page)
