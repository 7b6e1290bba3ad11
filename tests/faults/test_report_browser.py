"""
The report in a real browser.

It loads nothing, runs nothing, says nothing on the console, and fits.
"""

import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.report.conftest import twenty

import evenfold as ef
from evenfold.core.facts.comparison import Facts
from evenfold.core.losses import Failure
from evenfold.core.note import as_notes
from evenfold.report import to_fragment
from evenfold.report.formats.html import to_html
from evenfold.report.sample import sample

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine"),
]

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(2)>"
PHONE, DESKTOP = 390, 1280


class Browser:
    """
    Chromium through its debugging pipe.

    JSON messages that end in NUL, on descriptors 3 and 4.
    """

    def __init__(self, profile: Path) -> None:
        child_in, self._out = os.pipe()
        self._in, child_out = os.pipe()
        command = [
            "bash",
            "-c",
            f'exec "$0" "$@" 3<&{child_in} 4>&{child_out}',
            str(CHROMIUM),
            *FLAGS,
        ]
        self._process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}"],
            pass_fds=(child_in, child_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(child_in)
        os.close(child_out)
        self._buffer, self._number, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result; events on the way are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select.select([self._in], [], [], 60)[0], "chromium says nothing for a minute"
            chunk = os.read(self._in, 1 << 16)
            assert chunk, "chromium closed its pipe"
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def open(self, page: Path, *, width: int, scheme: str = "light") -> None:
        """Load a page at a width in CSS pixels and wait until it has loaded."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=844,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.call("Page.navigate", url=page.as_uri())
        while "Page.loadEventFired" not in self.seen():
            self.events.append(self._read())

    def seen(self) -> set[str]:
        return {str(event.get("method")) for event in self.events}

    def ask(self, expression: str) -> Any:
        """Evaluate an expression in the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)[
            "result"
        ].get("value")

    def close(self) -> None:
        self._session = ""
        self.call("Browser.close")
        self._process.wait(timeout=30)
        os.close(self._in)
        os.close(self._out)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


def hostile() -> Facts:
    """Names that are markup, everywhere a user can put a name."""
    pair = replace(
        sample().pairs[0],
        baseline=SCRIPT,
        challenger=IMAGE,
        sentence=f"{IMAGE} is better than {SCRIPT}.",
    )
    failure = Failure(
        algorithm=SCRIPT, split=0, kind=SCRIPT, message=IMAGE, traceback=f"</pre>{IMAGE}"
    )
    return replace(
        sample(),
        algorithms=(SCRIPT, IMAGE),
        quantity=replace(sample().quantity, words=IMAGE),
        pairs=(pair,),
        failures=(failure,),
        notes=as_notes([SCRIPT]),
        call=f"ef.compare({{'{SCRIPT}': a}}) # </code></pre>{IMAGE}",
    )


def long_names() -> Facts:
    """Names without a place to break a line."""
    long = "GradientBoosting" * 8
    pair = replace(sample().pairs[0], challenger=long, sentence=f"{long} is better than tree.")
    return replace(sample(), algorithms=("tree", long), pairs=(pair,), call="x" * 400)


PAGES = {"sample": sample, "hostile": hostile, "long": long_names, "twenty": twenty}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {name: folder / f"{name}.html" for name in PAGES}
    for name, page in made.items():
        page.write_text(to_html(PAGES[name]()), encoding="utf-8")
    return made


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_quiet_and_fits(
    browser: Browser, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    browser.open(pages[name], width=width, scheme=scheme)
    assert browser.ask("innerWidth") == width
    assert browser.ask("document.documentElement.scrollWidth") <= width
    assert not browser.seen() & {
        "Runtime.consoleAPICalled",
        "Runtime.exceptionThrown",
        "Log.entryAdded",
        "Page.javascriptDialogOpening",
    }
    asked = [
        e["params"]["request"]["url"]
        for e in browser.events
        if e["method"] == "Network.requestWillBeSent"
    ]
    assert all(url.startswith(("file:", "data:")) for url in asked), asked


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_twenty_long_names_fit(browser: Browser, pages: dict[str, Path], width: int) -> None:
    """The ranking is read without scrolling; wider tables, unfolded too, scroll inside the page."""
    browser.open(pages["twenty"], width=width)
    browser.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.ask("document.documentElement.scrollWidth") <= width
    ranking = "document.querySelector('#verdict .wide')"
    assert browser.ask(f"{ranking}.scrollWidth - {ranking}.clientWidth") == 0
    outside = browser.ask(
        """
        [...document.querySelectorAll('body *')]
          .filter(e => !e.closest('.wide, .skip') && e.getBoundingClientRect().right > innerWidth)
          .map(e => e.outerHTML.slice(0, 80))
        """
    )
    assert outside == []
    assert browser.ask("document.querySelectorAll('#figures text').length") > 40


def test_markup_in_names_is_shown_as_text(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["hostile"], width=DESKTOP)
    assert browser.ask("document.querySelectorAll('script, img').length") == 0
    text = browser.ask("document.body.innerText")
    assert f"{IMAGE} is better than {SCRIPT}." in text
    assert SCRIPT in browser.ask("document.title")
    assert "alert" in browser.ask(
        "[...document.querySelectorAll('svg text')].map(t => t.textContent).join()"
    )


def test_a_notebook_cell_shows_markup_as_text(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "cell.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8>{to_fragment(hostile())}", encoding="utf-8"
    )
    browser.open(page, width=DESKTOP)
    assert "Page.javascriptDialogOpening" not in browser.seen()
    assert browser.ask("document.querySelectorAll('script, img').length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(browser: Browser, pages: dict[str, Path], scheme: str) -> None:
    """Every text and figure label reaches 4.5 : 1 on what is behind it (WCAG 2, level AA)."""
    browser.open(pages["sample"], width=DESKTOP, scheme=scheme)
    worst = browser.ask(
        """
        (() => {
          const rgb = c => c.match(/[\\d.]+/g).map(Number);
          const lum = c => rgb(c).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
          const behind = e => {
            for (; e; e = e.parentElement) {
              const c = getComputedStyle(e).backgroundColor;
              if (rgb(c).length === 3 || rgb(c)[3] > 0) return c;
            }
          };
          const ratio = (a, b) => { const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p);
                                    return (x + 0.05) / (y + 0.05); };
          const texts = [...document.body.querySelectorAll('*')].filter(e =>
            [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())
              && e.tagName !== 'STYLE');
          return Math.min(...texts.map(e => ratio(
            e.tagName === 'text' ? getComputedStyle(e).fill : getComputedStyle(e).color,
            behind(e))));
        })()
        """
    )
    assert worst >= 4.5


@pytest.fixture(scope="module")
def board_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = Path(__file__).parents[2] / "docs" / "_static" / "leaderboard.csv"
    page = tmp_path_factory.mktemp("board") / "board.html"
    ef.board(table, measure="accuracy").to_html(page)
    return page


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_a_board_sorts_and_filters_without_a_network(
    browser: Browser, board_page: Path, width: int
) -> None:
    names = (
        "[...document.querySelectorAll('#board tbody tr')].filter(r => !r.hidden).map(r => "
        "r.dataset.name)"
    )
    browser.open(board_page, width=width)
    assert browser.ask("document.documentElement.scrollWidth") <= width
    assert browser.ask(names)[:2] == ["ada", "cray"]
    browser.ask("document.querySelectorAll('#board th button')[1].click()")
    assert browser.ask(names) == ["ada", "bell", "cray", "dag", "eve", "fox", "gau", "hal"]
    browser.ask("document.querySelectorAll('#board th button')[1].click()")
    assert browser.ask(names)[0] == "hal"
    browser.ask("document.querySelectorAll('#board th button')[2].click()")
    assert browser.ask(names)[0] == "hal"
    browser.ask(
        "document.getElementById('filter').value = 'A'; "
        "document.getElementById('filter').dispatchEvent(new Event('input'))"
    )
    assert sorted(browser.ask(names)) == ["ada", "cray", "dag", "gau", "hal"]
    assert browser.ask("document.getElementById('shown').textContent") == "5 of 8 models"
    browser.ask(
        "document.getElementById('tier').value = '1'; "
        "document.getElementById('tier').dispatchEvent(new Event('change'))"
    )
    assert sorted(browser.ask(names)) == ["ada", "cray"]
    bad = {"Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening"}
    assert not browser.seen() & bad
    asked = [
        e["params"]["request"]["url"]
        for e in browser.events
        if e["method"] == "Network.requestWillBeSent"
    ]
    assert all(url.startswith(("file:", "data:")) for url in asked), asked


def test_powers_of_ten_are_sorted_as_numbers(browser: Browser, tmp_path: Path) -> None:
    mean = {"small": 2e-9, "some": 40.0, "large": 9.5e7, "largest": 1.2e11, "below": -3e8}
    table = {
        name: {f"t{j}": value * (1 + j / 100) for j in range(8)} for name, value in mean.items()
    }
    page = tmp_path / "board.html"
    ef.board(table, higher_is_better=True).to_html(page)
    assert "\u00d7 10\u207b" in page.read_text(encoding="utf-8")
    browser.open(page, width=DESKTOP)
    browser.ask("document.querySelectorAll('#board th button')[2].click()")
    found = browser.ask(
        "[...document.querySelectorAll('#board tbody tr')].map(r => r.dataset.name)"
    )
    assert found == ["below", "small", "some", "large", "largest"]
