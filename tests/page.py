#!/usr/bin/env python3
"""Drives the page of `pgc serve` in a headless Chromium: page.py PROGRAM [FOLDER FOR SCREENSHOTS]

Needs chromium, chromedriver and the Python package selenium; without them it says so and passes.
The games are made here, so that the test knows what the page must show.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

try:
    from selenium import webdriver
    from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

# More than fit the highest element that a browser can make.
MANY = 300_000
# Of these so many differ in their players, year, result and moves: the others are copies.
UNIQUE = 21_000

SPECIAL = """\
[Event "Special"]
[Site "?"]
[Date "2001.02.03"]
[Round "1"]
[White "<img src=x onerror=alert(1)>"]
[Black "Noir, Bea"]
[Result "1-0"]
[WhiteElo "2501"]
[BlackElo "2402"]

1. e4 {[%eval 0.3] [%clk 1:30:00]} 1... c5 {[%eval 0.2] [%clk 1:29:58] A <b>sharp</b> answer.}
2. Nf3 $1 {[%eval 0.4] [%clk 1:29:30]} (2. c3 d5 (2... Nf6 3. e5) 3. exd5) 2... d6 {[%eval -1.5] [%clk 1:28:00]}
3. Bb5+ {[%eval #4] [%clk 1:29:00]} 1-0

[Event "Study"]
[White "Weiss, End"]
[Black "?"]
[SetUp "1"]
[FEN "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"]

1. Kd4 Kd6 *

[Event "Nothing known"]
[Date "1984.??.??"]
[White "?"]
[Black "Wer, A"]
[WhiteElo "0"]
[Result "1/2-1/2"]
[FEN "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1"]

1. d4 1/2-1/2

[Event "Nothing known of a tournament with a name that is as long as the names of some tournaments are in collections of old games, and longer"]
[Date "????.??.??"]
[White "?"]
[Black "?"]
[Round "-"]
[FEN "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1"]

1. d4 *

[Event "Broken"]
[White "Weiss, Ill"]
[Black "?"]

1. e4 Ke3 and then nothing *
"""


def games():
    """Game n: 1.e4 if n is even, else 1.d4; every third is drawn; the players repeat."""
    for n in range(MANY):
        result = ("1-0", "1/2-1/2", "0-1")[n % 3]
        first = "1. e4 e5" if n % 2 == 0 else "1. d4 d5"
        yield (f'[Event "Open"]\n[Date "{1900 + n % 100}.01.01"]\n[White "Weiss, W{n % 1000}"]\n'
               f'[Black "Schwarz, S{n % 700}"]\n[Result "{result}"]\n\n{first} {result}\n\n')
    yield SPECIAL


class Page:
    """The page in the browser."""

    def __init__(self, address, folder):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in ["headless", "no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking",
                         "disable-component-update", "disable-sync", f"user-data-dir={folder}/profile"]:
            options.add_argument(f"--{argument}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.address = address
        self.size(1920, 1080)

    def size(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def open(self, state=""):
        self.driver.get("about:blank")
        self.driver.get(self.address + state)
        self.wait("document.documentElement.dataset.ready === 'yes'")

    def js(self, code):
        return self.driver.execute_script(f"return {code}")

    def wait(self, condition, what=None):
        """Waits for a condition in JavaScript, or a function."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                value = condition() if callable(condition) else self.js(condition)
            except (NoSuchElementException, StaleElementReferenceException):
                value = None
            if value:
                return value
            time.sleep(0.03)
        says = [self.js(f"document.querySelector('{part}')?.textContent") for part in ("#trouble", "#status")]
        sys.exit(f"this did not happen: {what or condition}; the page says {says}")

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def on(self, selector, action, which=0):
        """Does something with an element. The page may replace it at any time: then again with the new one."""
        def act():
            elements = self.all(selector)
            return [action(elements[which])] if elements[which:] else None

        return self.wait(act, selector)[0]

    def text(self, selector):
        return self.on(selector, lambda element: element.text)

    def texts(self, selector):
        return self.wait(lambda: [[element.text for element in self.all(selector)]], selector)[0]

    def click(self, selector, which=0):
        self.on(selector, lambda element: element.click(), which)

    def keys(self, *keys, to="body"):
        self.on(to, lambda element: element.send_keys(*keys))

    def waits_for(self, selector, text):
        self.wait(lambda: self.text(selector) == text, f"{selector} is {text!r}")

    def rows(self):
        """The numbers of the games in the rows that are shown; nothing while some are awaited."""
        cells = self.js("""document.querySelector('#rows .waiting') ? []
            : [...document.querySelectorAll('#rows .row .number')].map((e) => e.textContent)""")
        return [int(cell.replace(",", "")) for cell in cells]

    def settled(self):
        return self.wait(self.rows, "rows of games")

    def pieces(self):
        found = self.js("[...document.querySelectorAll('#board .piece')].map((e) => [e.dataset.square, e.dataset.piece])")
        return dict(found)


def searches(page):
    page.open()
    page.waits_for("#status", f"{MANY + 5:,} games")
    # Names while one types: "schwarz s69" begins S69 and S690 to S699.
    page.keys("schwarz s69", to="#field-player")
    page.wait(lambda: len(page.all("#field-player-names li")) == 9)
    names = [item.get_attribute("data-name") for item in page.all("#field-player-names li")]
    assert all(name.startswith("Schwarz, S69") for name in names), names
    page.keys("0", to="#field-player")
    page.wait(lambda: len(page.all("#field-player-names li")) == 1)
    page.keys(Keys.ARROW_DOWN, Keys.ENTER, to="#field-player")
    expected = [n + 1 for n in range(MANY) if n % 700 == 690]
    page.waits_for("#status", f"{len(expected)} games")
    rows = page.settled()
    assert rows == expected[:len(rows)], rows
    page.wait(lambda: "player=" in page.driver.current_url)
    # Sorted by date, the latest first.
    page.click(".heads .date")
    page.click(".heads .date")
    page.wait(lambda: "reverse=1" in page.driver.current_url)
    latest = max(n % 100 for n in range(MANY) if n % 700 == 690)
    page.wait(lambda: page.text("#rows .row .date") == f"{1900 + latest}.01.01")
    # Wrong questions are answered in words.
    page.click("#more summary")
    page.keys("--beauty 3", Keys.ENTER, to="#field-query")
    page.wait(lambda: "--beauty" in page.text("#trouble"))
    page.click("#form [type=reset]")
    page.waits_for("#status", f"{MANY + 5:,} games")
    page.keys("nobody at all", Keys.ENTER, to="#field-player")
    page.waits_for("#status", "No game matches.")


def scrolls(page):
    page.open()
    assert page.settled()[0] == 1
    scroller = "document.getElementById('games')"
    page.driver.execute_script(f"{scroller}.scrollTop = {scroller}.scrollHeight / 2")
    page.wait(lambda: page.settled()[0] > 1000, "other rows")
    rows = page.settled()
    assert abs(rows[0] - MANY / 2) < 20, rows
    assert rows == list(range(rows[0], rows[0] + len(rows))) and len(rows) < 60, rows
    # A small step of the wheel is a small step of the table.
    page.driver.execute_script(f"{scroller}.scrollTop += 72")
    page.wait(lambda: page.rows()[:1] == [rows[0] + 3], "three rows further")
    page.driver.execute_script(f"{scroller}.scrollTop = {scroller}.scrollHeight")
    page.wait(lambda: page.rows()[-1:] == [MANY + 5], "the last game")
    # By keys: the first game, the next, its moves.
    page.keys(Keys.HOME, Keys.ARROW_DOWN, Keys.ENTER, to="#games")
    page.wait(lambda: page.driver.title == "Weiss, W1 \u2013 Schwarz, S1")
    page.keys("j")
    page.wait(lambda: page.driver.title == "Weiss, W2 \u2013 Schwarz, S2")
    page.keys("k")
    page.wait(lambda: page.driver.title == "Weiss, W1 \u2013 Schwarz, S1")


def plays(page):
    page.open(f"#game=0:{MANY + 1}")
    page.wait("document.querySelectorAll('#moves .move').length === 10")
    # Text of the archive stays text.
    assert page.text("#lower .name") == "<img src=x onerror=alert(1)>" and not page.all("img")
    assert "A <b>sharp</b> answer." in page.text("#moves") and "%eval" not in page.text("#moves")
    assert page.pieces()["e2"] == "P" and page.one("[data-step=back]").get_property("disabled")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    pieces = page.pieces()
    assert (pieces["f3"], pieces["e4"], pieces["c5"]) == ("N", "P", "p") and "g1" not in pieces
    assert page.text("#moves [aria-current]") == "Nf3!"
    assert (page.text("#lower .clock"), page.text("#upper .clock")) == ("1:29:30", "1:29:58")
    assert page.text(".eval").startswith("+0.40")
    page.keys("f")
    assert page.text("#upper .name").startswith("<img")
    page.wait(lambda: "flip=1" in page.driver.current_url)
    page.keys("f")
    # The variation, and the one inside it: 2.c3 Nf6 3.e5.
    page.wait(lambda: page.one("#moves .variation .variation"))
    inner = ".variation .variation .move"
    page.click(inner, page.texts(inner).index("e5"))
    pieces = page.pieces()
    assert (pieces["e5"], pieces["f6"], pieces["c3"], pieces["g1"]) == ("P", "n", "P", "N")
    page.keys(Keys.HOME)
    assert page.pieces()["g8"] == "n"
    page.keys(Keys.END)
    assert page.pieces()["b5"] == "B" and page.text(".eval").startswith("#4")
    # A click at the left edge of the curve is the start of the game, and the address keeps the place.
    page.driver.execute_script("""
        const plot = document.querySelector('#curve svg');
        const box = plot.getBoundingClientRect();
        plot.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, clientX: box.left + box.width * 0.41 }));""")
    assert page.text("#moves [aria-current]") == "c5"
    page.wait(lambda: "at=2" in page.driver.current_url)
    page.driver.refresh()
    page.wait("document.documentElement.dataset.ready === 'yes'")
    page.waits_for("#moves [aria-current]", "c5")
    page.keys("5")
    assert page.text("#text pre").startswith('[Event "Special"]')
    # Games from a position, and games that are no chess.
    page.open(f"#game=0:{MANY + 2}&at=1")
    page.wait(lambda: page.pieces() == {"d4": "K", "e6": "k", "e2": "P"})
    page.open(f"#game=0:{MANY + 5}")
    page.wait(lambda: "Ke3 and then nothing" in page.text("#moves"))


def grows_trees(page):
    page.open("#tab=tree")
    # Without copies, as it says; the special game and the broken one begin with 1.e4 too.
    for games in (UNIQUE, MANY):
        page.wait(lambda: [row.split()[:2] for row in page.texts("#tree .answer tbody tr")]
                  == [["1.e4", f"{games // 2 + 2:,}"], ["1.d4", f"{games // 2:,}"]], f"a tree of {games}")
        assert page.all("#tree .copies") == [] or page.text("#tree .copies") == f"{MANY - UNIQUE:,} copies were left out"
        assert bool(page.all("#tree .copies")) == (games == UNIQUE)
        # White's share, the draws and Black's.
        assert [text.split("\n") for text in page.texts("#tree .score-bar")] == [["33%", "33%", "33%"]] * 2
        page.click("#tree-unique")
    page.wait(lambda: page.text("#tree .copies") == f"{MANY - UNIQUE:,} copies were left out")
    page.click("#tree .answer tbody .move")
    page.wait(lambda: page.text("#tree .answer tbody tr .move") == "1\u2026e5")
    page.waits_for("#tree .opening", "B00 King's Pawn Game")
    assert page.pieces()["e4"] == "P"
    assert page.text("#tree .answer tbody tr").split()[1] == f"{UNIQUE // 2:,}"
    page.click("#tree .answer tbody .move", 1)
    page.wait(lambda: page.text("#tree .answer tbody tr .move") == "2.Nf3")
    page.wait(lambda: "c5" in page.driver.current_url)
    page.driver.refresh()
    page.wait("document.documentElement.dataset.ready === 'yes'")
    page.wait(lambda: page.pieces().get("c5") == "p", "the line is kept")
    page.keys(Keys.HOME)
    page.wait(lambda: page.text("#tree .answer tbody tr .move") == "1.e4")
    # Only the games of a search.
    page.keys("weiss w7", Keys.ESCAPE, Keys.ENTER, to="#field-player")
    page.wait(lambda: page.text("#status") != f"{MANY + 5:,} games")
    page.click("#only-found")
    unique = sum(f"{n % 1000}".startswith("7") for n in range(UNIQUE))
    page.wait(lambda: page.text("#tree .summary").startswith(f"{unique:,} games"))
    # Not those that the form would find, which nobody has asked for yet.
    page.keys("x", to="#field-event")
    page.click("#tree .answer tbody .move")
    page.wait(lambda: page.text("#tree .answer tbody tr .move").startswith("1\u2026"))
    # A game number out of range is reported, and the place stays empty.
    page.open("#game=0:99999999")
    page.wait(lambda: "99999999" in page.text("#trouble") and page.driver.title == "pgc" and not page.all("#moves h2"))
    # The search asks for a position, and the board has another: one game has 1.e4 c5 2.Nf3.
    page.open("#tab=tree&moves=1.e4 c5 2.Nf3")
    page.waits_for("#status", "1 game")
    page.click("#only-found")
    page.wait(lambda: [row.split()[:2] for row in page.texts("#tree .answer tbody tr")] == [["1.e4", "1"]])
    page.click("#tree .answer tbody .move")
    page.wait(lambda: [row.split()[:2] for row in page.texts("#tree .answer tbody tr")] == [["1\u2026c5", "1"]])


def shows_statistics(page):
    page.open("#who=Weiss, W999&tab=stats")
    mine = [n for n in range(UNIQUE) if n % 1000 == 999]
    page.wait(lambda: page.all("#stats h2") and page.text("#stats h2") == "Weiss, W999")
    assert page.text("#stats header p").startswith(f"{len(mine)} games")
    wins, draws = (sum(1 for n in mine if n % 3 == kind) for kind in (0, 1))
    score = 100 * (wins + draws / 2) / len(mine)
    assert f"scored {score:.1f} %" in page.text("#stats header p")
    opponents = page.all("#stats table")[-1].find_elements(By.CSS_SELECTOR, "tbody tr")
    assert len(opponents) == min(12, len({n % 700 for n in mine}))
    name = opponents[0].find_element(By.CSS_SELECTOR, "button").text
    opponents[0].find_element(By.CSS_SELECTOR, "button").click()
    page.wait(lambda: page.one("#field-vs").get_property("value") == name)
    games = sum(1 for n in range(999, MANY, 1000) if f"Schwarz, S{n % 700}".startswith(name))
    page.waits_for("#status", f"{games} games")


def shows_standings(page):
    """W999 met each of seven players at least once; White won, drew and lost in turn."""
    page.open("#player=Weiss, W999&tab=standings")
    mine = [n for n in range(UNIQUE) if n % 1000 == 999]
    points = sum((1, .5, 0)[n % 3] for n in mine)
    page.wait(lambda: len(page.all("#standings table")) == 2)
    row = next(row for row in page.texts("#standings table:first-of-type tbody tr") if "W999" in row)
    against = [[(1, .5, 0)[n % 3] for n in mine if n % 700 == other] for other in sorted({n % 700 for n in mine})]
    shown = [f"{int(sum(one))}{chr(0xbd) if sum(one) % 1 else ''}/{len(one)}" for one in against]
    found = row.split("\u00d7 ")[1]
    assert f"Weiss, W999 {points:g} " in row and all(one in found for one in shown), (row, shown)
    games = page.texts("#standings table:last-of-type tbody tr")
    assert len(games) == len(mine) and all("Weiss, W999" in game for game in games), games[:3]
    assert page.text("#standings .copies") == f"{MANY // 1000 - len(mine)} copies were left out"
    # Of very many games it is made only if somebody asks for it.
    page.open("#tab=standings&event=open")
    page.click("#standings button")
    page.wait("document.querySelectorAll('#standings tbody tr').length === 100")
    # With the search, the table changes; the player's page is behind the name.
    page.open("#event=broken&tab=standings")
    page.wait(lambda: "No game with a result" in page.text("#standings"))
    page.open("#event=special&tab=standings")
    page.wait(lambda: page.texts("#standings tbody tr")[:1] == ["<img src=x onerror=alert(1)> 1 1"])
    page.click("#standings tbody button")
    page.wait(lambda: "tab=stats" in page.driver.current_url)


def is_for_everybody(page):
    page.open(f"#game=0:{MANY + 1}&at=3")
    colour = "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)"
    assert min(page.js(colour)) > 200
    page.click("#theme")
    assert max(page.js(colour)) < 60
    page.driver.refresh()
    page.wait("document.documentElement.dataset.ready === 'yes'")
    assert max(page.js(colour)) < 60
    page.click("#theme")
    # The tab key reaches every control, and each shows that it has the focus.
    controls = page.js("""[...document.querySelectorAll('button, input, select, summary, [tabindex="0"]')]
        .filter((e) => !e.disabled && e.tabIndex >= 0 && e.checkVisibility()).length""")
    reached = set()
    for _ in range(controls + 5):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        element = page.driver.switch_to.active_element
        if element.tag_name != "body":
            assert page.js("getComputedStyle(document.activeElement).outlineStyle") != "none", element.get_attribute("outerHTML")
        reached.add(element.id)
    assert len(reached) >= controls, (len(reached), controls)
    unnamed = page.js("""[...document.querySelectorAll('button, input, select')]
        .filter((e) => e.checkVisibility() && !e.textContent.trim() && !e.ariaLabel && !e.labels?.length).map((e) => e.outerHTML)""")
    assert not unnamed, unnamed
    assert "White: king e1" in page.one("#board").get_attribute("aria-label")
    # On a phone: one column, the board first, nothing beside the screen.
    page.size(390, 844)
    for state in (f"#game=0:{MANY + 1}&at=3", "#tab=tree", "#tab=stats&who=Weiss, W999", "#tab=standings&player=Weiss, W999"):
        page.open(state)
        page.wait("/ games$/.test(document.getElementById('status').textContent)")
        assert page.js("document.documentElement.scrollWidth") <= 390, state
    tops = page.js("['.stage', '.study'].map((name) => document.querySelector(name).getBoundingClientRect().top)")
    assert tops == sorted(tops) and tops[0] < 100, tops
    # The search is a drawer; a game that is chosen there closes it. Sorting is a list there.
    assert not page.one("#search").is_displayed()
    page.click("#drawer-button")
    assert page.one("#search").is_displayed() and not page.one("#board").is_displayed()
    page.driver.execute_script("""
        const list = document.getElementById('sorting');
        list.value = 'date';
        list.dispatchEvent(new Event('change'));""")
    page.wait(lambda: "sort=date" in page.driver.current_url)
    page.wait("document.querySelector('#rows .row .white')")
    page.click("#rows .row")
    page.wait(lambda: page.one("#board").is_displayed() and not page.one("#search").is_displayed())
    page.size(1920, 1080)


def at(page, square):
    """The middle of a square of the board, which White's side is below."""
    box = page.js("(() => { const b = document.getElementById('board').getBoundingClientRect(); return [b.left, b.top, b.width / 8]; })()")
    return int(box[0] + ("abcdefgh".index(square[0]) + .5) * box[2]), int(box[1] + (8.5 - int(square[1])) * box[2])


def drag(page, start, end=None):
    """Presses the mouse on a square, and lets it go on another one; or clicks."""
    actions = ActionChains(page.driver)
    pointer = actions.w3c_actions.pointer_action
    pointer.move_to_location(*at(page, start))
    pointer.pointer_down()
    if end:
        pointer.move_to_location(*at(page, end))
    pointer.pointer_up()
    actions.perform()


def reaches(page, placement):
    """Waits until the board has this position, and its legal moves are known."""
    page.wait(f"(document.documentElement.dataset.board ?? '').startsWith('{placement} ')", placement)


def moves_pieces(page):
    page.open()
    # Nothing is chosen: the tree of all games stands there.
    page.wait("document.querySelectorAll('#tree .answer tbody tr').length === 2")
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
    reaches(page, start)
    drag(page, "e2")
    page.wait("document.querySelectorAll('#board .target').length === 2", "the squares of a pawn")
    drag(page, "e5")
    page.wait("document.querySelectorAll('#board .target').length === 0", "a square it cannot reach")
    drag(page, "e2")
    drag(page, "e4")
    reaches(page, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR")
    drag(page, "c7", "c5")
    reaches(page, "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR")
    page.keys("m")
    page.keys("Ke3", Keys.ENTER, to="#typed")
    assert page.js("document.getElementById('typed').validationMessage") == "Ke3 is no legal move here"
    page.keys(Keys.CONTROL + "a", to="#typed")
    page.keys("g1f3", Keys.ENTER, to="#typed")
    reaches(page, "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R")
    page.wait(lambda: page.text("#position").endswith("1 game with this position"))
    # The search follows the board, and its game opens where it matches.
    page.click("#follow")
    page.waits_for("#status", "1 game")
    page.wait("document.querySelector('#rows .row .white')")
    page.click("#rows .row")
    page.wait(lambda: page.all("#moves [aria-current]") and page.text("#moves [aria-current]").startswith("Nf3"))
    page.click("#follow")
    # The browser's Back returns to the line.
    page.driver.back()
    page.wait(lambda: "line=" in page.driver.current_url and page.driver.title == "pgc")
    page.driver.forward()
    page.wait(lambda: page.driver.title.endswith("Noir, Bea"))
    # A line of one's own, and back to the game.
    reaches(page, "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R")
    drag(page, "a7", "a6")
    reaches(page, "rnbqkbnr/1p1ppppp/p7/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R")
    assert page.one("#back-to-game").is_displayed()
    page.keys("b")
    reaches(page, "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R")
    # All moves together are one stop of the tab key.
    assert page.js("[...document.querySelectorAll('#moves .move')].filter((e) => e.tabIndex === 0).length") == 1
    # The wheel steps.
    page.driver.execute_script("document.getElementById('board').dispatchEvent(new WheelEvent('wheel', { deltaY: 100, cancelable: true }))")
    reaches(page, "rnbqkbnr/pp2pppp/3p4/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R")


def sets_up(page):
    page.open("#tab=tools")
    area = "#tools textarea"
    page.keys("8/P6k/8/8/8/8/8/K7 w - - 0 1", to=area)
    page.click("#tools .paste button")
    reaches(page, "8/P6k/8/8/8/8/8/K7")
    drag(page, "a7", "a8")
    names = page.js("[...document.querySelectorAll('#promotion button')].map((e) => e.ariaLabel)")
    assert names == ["White queen", "White rook", "White bishop", "White knight"], names
    page.click("#promotion button", 1)
    reaches(page, "R7/7k/8/8/8/8/8/K7")
    # The address keeps the position.
    page.wait(lambda: "line=a8" in page.driver.current_url)
    page.driver.refresh()
    page.wait("document.documentElement.dataset.ready === 'yes'")
    reaches(page, "R7/7k/8/8/8/8/8/K7")
    page.keys('[White "Pasted, P"]\n\n1. e4 {[%csl Re4][%cal Ge4d5]} d5 2. exd5 *', to=area)
    page.click("#tools .paste button")
    page.wait(lambda: page.driver.title == "pgc" and "Pasted, P" in page.text("#moves h2"))
    page.keys(Keys.ARROW_RIGHT)
    page.wait("document.querySelectorAll('#board .shapes > *').length === 2", "an arrow and a mark")
    # A position is set up piece by piece, and searched for.
    page.keys("7")
    open_editor(page)
    page.click("#editor .choices button", 2)
    for piece, square in (("K", "d4"), ("k", "d6"), ("P", "e2")):
        page.click(f"#editor [data-piece={piece}]")
        drag(page, square)
    value = page.js(FEN)
    assert value == "8/8/3k4/8/3K4/8/4P3/8 w - - 0 1", value
    page.click("#editor .choices button", 3)
    page.waits_for("#status", "1 game")
    page.open("#tab=tools")
    page.keys("5k2/8", to=area)
    page.click("#tools .paste button")
    page.wait(lambda: page.text("#tools .paste .failed"))


def takes_away(page, address):
    page.open("#event=special")
    page.waits_for("#status", "1 game")
    page.wait("document.querySelectorAll('#save-list a').length === 3")
    page.click("#saving summary")
    links = page.js("[...document.querySelectorAll('#save-list a')].map((e) => e.href)")
    assert all(link.startswith(address) for link in links), links
    with urllib.request.urlopen(links[0]) as answer:
        text = answer.read().decode()
    assert SPECIAL.startswith(text.rstrip("\n")) and "Noir" in text and "Weiss, End" not in text, text
    with urllib.request.urlopen(links[1]) as answer:
        assert answer.read()[3:7] == b"pgcH"
    with urllib.request.urlopen(links[2]) as answer:
        assert len(answer.read().decode().splitlines()) == 2


DESK, PHONE = (1440, 900), (390, 844)


def places(page):
    """Where the board is: its left edge, its top and its width."""
    return page.js("(() => { const b = document.getElementById('board').getBoundingClientRect(); return [b.left, b.top, b.width]; })()")


FEN = "document.querySelector('#editor [aria-label=FEN]').value"


def open_editor(page):
    """Opens the editor, which the page loads then, and which shows the position of the board."""
    page.click("#tools .tool button.small:not(.quiet)")
    page.wait("document.querySelector('#editor [aria-label=FEN]') && !document.getElementById('editor').hidden", "the editor opens")


def edits(page):
    """The editor keeps every field of a FEN and the rules, and each can be changed."""
    used = "#editor .choices button.small:not(.quiet)"
    kept = [("Chess960", "1rk2r1r/pppppppp/8/8/8/8/PPPPPPPP/1RK2R1R b FQq - 3 7"),
            ("Crazyhouse", "rnbqkbnQ~/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR[QPPn] b KQq e3 0 3"),
            ("Three-check", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 2+3 0 2"),
            ("", "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b Kq e3 0 31")]
    for size in (DESK, PHONE):
        page.size(*size)
        for rules, position in kept:
            page.open(f"#board={position.replace('+', '%2B')}&rules={rules}&tab=tools")
            page.wait(f"document.documentElement.dataset.board === '{position}'")
            board, state = places(page), page.js("location.hash")
            open_editor(page)
            assert page.js(FEN) == position, (page.js(FEN), position)
            assert places(page) == board
            page.click(used)
            page.wait("document.getElementById('editor').hidden")
            assert page.js("location.hash") == state and page.js("document.documentElement.dataset.board") == position

    def put(selector, value):
        page.driver.execute_script("""const e = document.querySelector(arguments[0]); e.value = arguments[1];
            e.dispatchEvent(new Event('change'));""", f"#editor {selector}", value)

    # The position of a game, of which the user changes the right to castle, the pawn that passed, the
    # counters, the rules and the pieces in hand.
    page.size(*DESK)
    page.open(f"#game=0:{MANY + 1}&at=3&tab=tools")
    page.wait("document.documentElement.dataset.board")
    open_editor(page)
    page.click("#editor [data-right=k]")
    put("[aria-label^=Half]", "0")
    put("[aria-label^=Number]", "40")
    put("label:nth-of-type(1) select", "Crazyhouse")
    put("[aria-label='Pieces in hand']", "Nb")
    expected = "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R[Nb] b KQq - 0 40"
    assert page.js(FEN) == expected, page.js(FEN)
    page.click(used)
    page.wait(f"document.documentElement.dataset.board === '{expected}'")
    page.wait(lambda: "rules=Crazyhouse" in page.driver.current_url)
    page.driver.back()
    page.wait(lambda: "Noir" in page.driver.title)
    page.open("#tab=tools")
    page.keys("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", to="#tools textarea")
    page.click("#tools .paste button")
    page.wait("document.documentElement.dataset.board?.startsWith('4k3/8')")
    open_editor(page)
    assert page.texts("#editor p:nth-of-type(2) option") == ["none", "d6"]
    put("p:nth-of-type(2) select", "d6")
    page.click(used)
    page.wait("document.documentElement.dataset.board === '4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1'")


def lays_out(page, engine):
    """The board stays where it is; rows take one line; dividers move and are remembered."""
    sideways = """[...document.querySelectorAll('body, body *')].filter((e) => e.scrollWidth > e.clientWidth + 1
        && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX)).map((e) => e.id || e.className)"""
    for size in (DESK, PHONE, (2560, 1440)):
        page.size(*size)
        page.open()
        first = places(page)
        for state in (f"#game=0:{MANY + 1}&at=3", f"#game=0:{MANY + 2}", f"#game=0:{MANY + 1}&tab=tree", "#tab=standings&player=Weiss, W999",
                      "#query=--beauty&tab=notebook"):
            page.open(state)
            page.wait("document.getElementById('status').textContent !== 'Searching\u2026'")
            assert places(page) == first, (size, state, places(page), first)
            assert page.js("document.documentElement.scrollWidth") <= size[0] and not page.js(sideways), (state, page.js(sideways))
            assert page.js("document.documentElement.scrollHeight") <= size[1]
        # A phone has no keys.
        assert page.one("#help-button").is_displayed() == (size != PHONE)
        if size != PHONE:
            page.click("#help-button")
        assert places(page) == first
        if engine:
            page.click("#engine-button")
            page.wait(lambda: page.one("#engine").is_displayed())
            assert places(page) == first
            page.click("#engine-button")
    assert places(page)[2] < 900
    # On a phone the board is there while one reads and taps moves.
    page.size(*PHONE)
    page.open(f"#game=0:{MANY + 1}&at=3")
    # The notebook has a move of one's own of an earlier step.
    page.wait("document.querySelectorAll('#moves .move').length >= 10")
    last = page.js("[...document.querySelectorAll('#moves .move')].findIndex((e) => e.textContent.startsWith('Bb5+'))")
    page.click("#moves .move", last)
    assert page.js("document.querySelector('#moves [aria-current]').textContent").startswith("Bb5+")
    assert places(page)[1] > 0 and page.js("scrollY") == 0
    # 25 games at the width of a laptop, each in one line, and a long name of an event covers nothing.
    page.size(*DESK)
    page.open()
    page.settled()
    whole = """[...document.querySelectorAll('#rows .row')].filter((e) => e.getBoundingClientRect().bottom
        <= document.getElementById('games').getBoundingClientRect().bottom).length"""
    assert page.js(whole) >= 25, page.js(whole)
    # By keys and by the mouse, and after a reload.
    page.keys(Keys.ARROW_LEFT * 3, to="#divide-list")
    wide = places(page)
    assert wide[2] > 560 and page.js("document.getElementById('divide-list').ariaValueNow")
    bar = page.js("(() => { const b = document.getElementById('divide-study').getBoundingClientRect(); return [b.left + 4, b.top + 300]; })()")
    actions = ActionChains(page.driver)
    pointer = actions.w3c_actions.pointer_action
    pointer.move_to_location(*map(int, bar))
    pointer.pointer_down()
    pointer.move_to_location(int(bar[0]) - 60, int(bar[1]))
    pointer.pointer_up()
    actions.perform()
    moved = places(page)
    assert moved[2] < wide[2]
    page.driver.refresh()
    page.wait("document.documentElement.dataset.ready === 'yes'")
    assert abs(places(page)[2] - moved[2]) < 2
    page.keys(Keys.ENTER, to="#divide-list")
    assert 500 < places(page)[2] < 560
    page.size(1920, 1080)


def looks_right(page):
    """Values that say nothing are not shown, menus close each other, and errors are said once."""
    for size in (DESK, PHONE):
        page.size(*size)
        page.open("#event=nothing known")
        page.waits_for("#status" if size == DESK else "#drawer-button", "2 games" if size == DESK else "Search")
        if size == PHONE:
            page.click("#drawer-button")
        page.wait("document.querySelectorAll('#rows .row').length === 2")
        rows = page.texts("#rows .row")
        assert not any("?" in row or " 0" in row or row.startswith("0") for row in rows) and "1984" in rows[0], rows
        assert "\u00bd-\u00bd" in rows[0] and "1/2" not in rows[0]
        page.click("#rows .row", 1)
        page.wait("document.querySelector('#moves h2')")
        assert page.js("document.querySelector('#moves h2').textContent").startswith("games.pgc:"), page.text("#moves h2")
    for size in (DESK, PHONE):
        page.size(*size)
        looks_right_at(page, size)
    page.size(1920, 1080)


def looks_right_at(page, size):
    """The same for what one does with the page."""
    page.open(f"#game=0:{MANY + 1}")
    if size == PHONE:
        page.click("#drawer-button")
    page.click("#columns summary")
    page.click("#saving summary")
    assert not page.one("#columns").get_property("open") and page.one("#saving").get_property("open")
    page.click("#about")
    assert not page.one("#saving").get_property("open")
    if size == PHONE:
        page.click("#drawer-button")
    # After a click on a tab the arrow keys step; with the tab key they turn the tabs.
    page.click("#tab-text")
    page.keys(Keys.ARROW_RIGHT)
    page.wait(lambda: "at=1" in page.driver.current_url and page.one("#text").is_displayed())
    # The list shows the game that is open.
    page.open(f"#game=0:{MANY // 2}")
    if size == PHONE:
        page.click("#drawer-button")
    page.wait("document.querySelector('#rows [data-opened]')")
    # A question that is wrong is refused once, with the reason.
    page.open("#query=--beauty 3")
    page.wait(lambda: "--beauty" in page.text("#trouble"))
    assert page.text("#status") == "" and not page.one("#notes").is_displayed()
    # The choice of a promotion closes at a click elsewhere.
    page.open("#board=8/P6k/8/8/8/8/8/K7 w - - 0 1")
    reaches(page, "8/P6k/8/8/8/8/8/K7")
    drag(page, "a7", "a8")
    page.wait(lambda: page.all("#promotion"))
    drag(page, "h1")
    assert not page.all("#promotion")
    # 4.5:1 between the text and the ground of an empty field.
    light = page.js("""((rgb) => rgb.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0))(
        getComputedStyle(document.getElementById('field-vs'), '::placeholder').color.match(/[0-9]+/g).slice(0, 3).map(Number))""")
    assert 1.05 / (light + .05) > 4.6, light
    # A grid has rows, and what scrolls can be reached with the keyboard.
    assert page.js("document.querySelector('[role=grid]').tabIndex") == 0
    assert page.js("[...document.querySelectorAll('[role=grid] > *')].every((e) => ['row', 'presentation'].includes(e.role))")
    reach = """[...document.querySelectorAll('main *')].filter((e) => ['auto', 'scroll'].includes(getComputedStyle(e).overflowY)
        && e.checkVisibility() && e.tabIndex < 0 && !e.querySelector('button, input, [tabindex="0"]')).map((e) => e.id || e.className)"""
    assert not page.js(reach), page.js(reach)
    # A match is one line for each player.
    page.open("#event=special&tab=standings")
    page.wait(lambda: len(page.texts("#standings table:first-of-type tbody tr")) == 2)
    assert page.js("document.querySelector('#standings .match span').getClientRects().length") == 1


def keeps(page):
    """What one makes of a game is there after a reload, and is in its PGN."""
    for size in (DESK, PHONE):
        page.size(*size)
        number = 7 if size == DESK else 8
        page.open(f"#game=0:{number}&at=1")
        page.wait("document.documentElement.dataset.board")
        first = "e" if number % 2 else "d"
        answer = ("c7", "c5")
        drag(page, *answer)
        page.wait(lambda: page.all("#moves .move.mine"))
        page.keys("Sharp}er", to="#remark")
        page.driver.execute_script("document.getElementById('remark').blur()")
        page.wait(lambda: page.all("#moves .comment.mine"))
        actions = ActionChains(page.driver)
        pointer = actions.w3c_actions.pointer_action
        pointer.move_to_location(*at(page, "g1"))
        pointer.pointer_down(button=2)
        pointer.move_to_location(*at(page, "f3"))
        pointer.pointer_up(button=2)
        actions.perform()
        page.wait("document.querySelectorAll('#board .shapes .arrow').length === 1", "an arrow")
        state = page.js("location.hash")
        page.open("#tab=tools")
        page.open(f"#game=0:{number}")
        page.wait(lambda: page.all("#moves .move.mine"))
        page.open(state)
        page.wait("document.querySelectorAll('#board .shapes .arrow').length === 1", "the arrow after a reload")
        page.keys("5")
        text = page.text("#text pre")
        other = f"1. {first}4 {first}5 (1... c5 {{[%cal Gg1f3] Sharp)er}}) "
        assert text.startswith('[Event "Open"]') and other in text, text
        # The notebook has it; its entry opens it, and forgets it when there is nothing left.
        page.keys("6")
        page.wait(lambda: any(f"games.pgc:{number} " in text for text in page.texts("#notebook li")))
        page.click("#notebook li .link")
        page.wait("location.hash.startsWith('#note=')")
        page.wait(lambda: page.all("#moves .move.mine"))
        page.on("#moves .move.mine", lambda element: page.driver.execute_script("arguments[0].click()", element))
        page.click("#remove")
        page.wait(lambda: not page.all("#moves .mine"))
        page.keys("6")
        page.wait(lambda: not any(f"games.pgc:{number} " in text for text in page.texts("#notebook li")))
    # Several pasted games are all there, at an address of their own.
    page.open("#tab=tools")
    page.keys('[White "Eins, A"]\n[Black "B"]\n\n1. e4 e5 *\n\n[White "Zwei, A"]\n[Black "B"]\n\n1. d4 (1. c4) d5 *', to="#tools textarea")
    page.click("#tools .paste button")
    page.wait(lambda: sorted(text.split("\n")[0] for text in page.texts("#notebook li .link") if text.endswith("\u2013 B")) == ["Eins, A \u2013 B", "Zwei, A \u2013 B"])
    page.wait("/note=.*tab=notebook/.test(location.hash)")
    page.click("#notebook li .link", [text.startswith("Zwei") for text in page.texts("#notebook li .link")].index(True))
    page.wait(lambda: "Zwei, A" in page.text("#moves h2"))
    page.wait("location.hash.startsWith('#note=')")
    page.driver.refresh()
    page.wait("document.documentElement.dataset.ready === 'yes'")
    page.wait(lambda: "Zwei, A" in page.text("#moves h2"))
    # A line without a game is in its PGN, and without a line the page says that there is none.
    page.open("#board=4k3/8/8/8/8/8/4P3/4K3 w - - 0 1&line=e4 Kd7")
    page.keys("5")
    page.wait(lambda: page.text("#text pre").endswith('[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 Kd7 *'))
    page.open("#board=4k3/8/8/8/8/8/4P3/4K3 b - - 0 1&tab=tools")
    for button in (0, 1):
        page.click("#tools .tool:nth-of-type(2) button", button)
        page.wait(lambda: "There is no game" in page.text("#tools .tool:nth-of-type(2)"))
    page.size(1920, 1080)


def opens_hits(page):
    """A game that was found opens where it matches, and the list says where."""
    asked = [("opening=moscow variation", "Bb5+", "3."), ("query=--event special --comment SHARP", "c5", "1\u2026"),
             ("query=--event special --eval-swing 150..", "d6", "2\u2026"), ("query=--event special --clock ..5280", "d6", "2\u2026"),
             ("query=--event special --nag 1", "Nf3!", "2."), ("query=--event special --move Bb5%2B", "Bb5+", "3."),
             ("query=--event special --move c5 --then --move Bb5%2B", "c5", "1\u2026"), ("moves=1.e4 c5 2.Nf3", "Nf3!", "2.")]
    for size in (DESK, PHONE):
        page.size(*size)
        for question, san, place in asked:
            page.open(f"#{question}")
            page.wait(lambda: page.js("document.getElementById('status').textContent") == "1 game")
            if size == PHONE:
                page.click("#drawer-button")
            else:
                assert page.text("#rows .ply") == place, question
            page.click("#rows .row")
            page.wait("document.querySelector('#moves [aria-current]')", question)
            assert page.js("document.querySelector('#moves [aria-current]').textContent") == san, (question, san)
    page.size(1920, 1080)


def stops(page):
    """A question that takes long says so, and can be stopped; here the network is slow."""
    def slow(milliseconds):
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1})

    page.driver.execute_cdp_cmd("Network.enable", {})
    for size in (DESK, PHONE):
        page.size(*size)
        page.open()
        if size == PHONE:
            page.click("#drawer-button")
        slow(100_000)
        page.keys("nobody at all", Keys.ENTER, to="#field-player")
        page.wait(lambda: page.one("#stop").is_displayed() and page.text("#status").startswith("Searching"))
        page.click("#stop")
        page.waits_for("#status", "Stopped.")
        assert not page.one("#stop").is_displayed()
        slow(0)
        page.keys(Keys.ENTER, to="#field-player")
        page.waits_for("#status", "No game matches.")
    page.size(1920, 1080)


def explores(page):
    """The tree stands with the moves, has percentages, and the best games below."""
    for size in (DESK, PHONE, (2560, 1440)):
        page.size(*size)
        page.open(f"#game=0:{MANY + 1}&at=3&tab=tree")
        page.wait("document.querySelectorAll('#tree .answer tbody tr').length === 1")
        assert page.text("#tree .score-bar") == "100%"
        assert page.one("#moves").is_displayed() == (size != PHONE)
        page.wait("document.querySelectorAll('#tree .best tbody tr').length === 1")
        assert page.texts("#tree .best td")[1:] == ["2501", "Noir, Bea", "2402", "1-0", "2001"]
    page.open("#tab=tree")
    page.wait("document.querySelector('#tree .best button')")
    page.open(f"#line=e4 c5&tab=tree")
    page.wait("document.querySelectorAll('#tree .best tbody tr').length === 1")
    page.click("#tree .best .link")
    page.wait(lambda: "Noir" in page.driver.title and page.text("#moves [aria-current]") == "c5")
    page.size(1920, 1080)


def adds(page):
    """A game with one's own line is added to the archive of --notebook; the page says where it is."""
    for number, size in enumerate((DESK, PHONE), 1):
        page.size(*size)
        page.open(f"#line=e4 c6 {('d4', 'd3')[number - 1]}&tab=tools")
        page.wait("document.documentElement.dataset.board")
        add = "#tools .tool:nth-of-type(2) button:nth-of-type(2)"
        assert page.text(add) == "Add to own.pgc"
        page.click(add)
        page.wait(lambda: f"saved as own.pgc:{number}" in page.text("#tools .tool:nth-of-type(2)"))
        page.wait(lambda: f"{MANY + 7 + number:,} games" in page.js("document.getElementById('about').textContent"))
        text = page.js("document.querySelector('#text pre').textContent")
        page.keys("6")
        page.wait(lambda: any("From the start" in item and f"saved as own.pgc:{number}" in item for item in page.texts("#notebook li")))
        page.on("#notebook li a", lambda link: page.driver.execute_script("arguments[0].click()", link))
        page.wait(lambda: f"game=1%3A{number}" in page.driver.current_url)
        page.keys("5")
        page.wait(lambda: page.text("#text pre") == text.strip())
        # Another move, and it can be added again.
        page.open("#line=e4 c6")
        page.wait("document.documentElement.dataset.board")
        page.keys(f"{'ab'[number - 1]}3", Keys.ENTER, to="#typed")
        page.keys("6")
        page.wait(lambda: any("Add to own.pgc" in item for item in page.texts("#notebook li") if "From the start" in item))
    # Pasted games, all at once and in their order.
    page.open("#tab=tools")
    page.keys('[White "Drei"]\n\n1. e4 *\n\n[White "Vier"]\n\n1. d4 *', to="#tools textarea")
    page.click("#tools .paste button")
    page.wait(lambda: any("Vier" in item for item in page.texts("#notebook li")))
    new = sum("Add to own.pgc" in item for item in page.texts("#notebook li"))
    page.click("#notebook .choices button", 1)
    page.wait(lambda: not any("Add to own.pgc" in item for item in page.texts("#notebook li")))
    page.wait(lambda: f"{MANY + 9 + new:,} games" in page.text("#about"))
    page.size(1920, 1080)


def asks_the_engine(page):
    """The best move of a mate in one, and nothing before the user asks."""
    page.open("#board=6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1")
    reaches(page, "6k1/5ppp/8/8/8/8/8/K3R3")
    assert not page.one("#bar").is_displayed() and not page.one("#engine").is_displayed()
    page.click("#engine-button")
    page.wait(lambda: page.texts("#engine li") and page.texts("#engine li")[0].startswith("#1 Re8#"))
    page.click("#engine li .move")
    reaches(page, "4R1k1/5ppp/8/8/8/8/8/K7")
    page.click("#engine-button")


def sees_changes(page, program, archive):
    page.open("#tab=tree")
    page.waits_for("#status", f"{MANY + 5:,} games")
    source = os.path.join(os.path.dirname(archive), "more.pgn")
    with open(source, "w", encoding="ascii") as file:
        file.write('[White "Neu, N"]\n[Black "?"]\n[FEN "unknown"]\n\n1. c4 *\n\n[White "Neu, O"]\n[Black "?"]\n\n1. c4 *\n')
    subprocess.run([program, "add", "-q", "--no-verify", archive, source], check=True)
    # A game of the old table is not opened; the games are searched again, and the page says why.
    page.keys("j")
    page.waits_for("#status", f"{MANY + 7:,} games")
    page.wait(lambda: "has changed" in page.text("#notes"))
    page.wait(lambda: len(page.all("#tree .answer tbody tr")) == 3, "the new move in the tree")
    page.settled()
    page.keys("j")
    page.wait(lambda: page.driver.title == "Weiss, W0 \u2013 Schwarz, S0")
    # There is no board for a position that is not understood, and a player without a name is no button.
    page.open(f"#game=0:{MANY + 6}")
    page.wait(lambda: page.driver.title == "Neu, N \u2013 unknown")
    assert page.pieces() == {}, page.pieces()
    assert not page.all("#upper button") and page.all("#lower button")


def asks_nobody_else(page, address):
    """No request left this machine, and nothing went wrong unseen."""
    origin = address[:address.index("/", len("http://"))]
    urls = set()
    for entry in page.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        # The browser begins with a page of its own, which sends what it likes.
        if message["method"] == "Network.requestWillBeSent" and not message["params"]["documentURL"].startswith("chrome"):
            urls.add(message["params"]["request"]["url"])
    assert len(urls) > 20
    strangers = [url for url in urls if not url.startswith(origin + "/") and not url.startswith(("about:", "data:"))]
    assert not strangers, strangers
    # The one question that was wrong on purpose is answered with 400, that for an old game with 409.
    errors = [entry["message"] for entry in page.driver.get_log("browser") if entry["level"] == "SEVERE"]
    # And one asks for a game number out of range; one pastes what is no game.
    meant = ("beauty", "409", "99999999", "api/paste")
    errors = [error for error in errors if not any(part in error for part in meant)]
    assert not errors, errors


def main():
    program = os.path.abspath(sys.argv[1])
    missing = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    if webdriver is None:
        missing.append("the Python package selenium")
    if missing:
        print(f"skipped: there is no {', no '.join(missing)}")
        return
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "games.pgn")
        with open(source, "w", encoding="ascii") as file:
            file.writelines(games())
        subprocess.run([program, "pack", "-q", "--no-verify", source], check=True)
        archive = os.path.join(folder, "games.pgc")
        engine = shutil.which("stockfish", path=os.environ["PATH"] + ":/usr/games")
        options = ["--engine", engine] if engine else []
        server = subprocess.Popen([program, "serve", "-q", *options, archive, "--notebook", os.path.join(folder, "own.pgc")], stdout=subprocess.PIPE, text=True)
        page = None
        try:
            address = server.stdout.readline().strip()
            page = Page(address, folder)
            steps = [searches, scrolls, plays, grows_trees, shows_statistics, shows_standings, moves_pieces, sets_up,
                     functools.partial(takes_away, address=address), is_for_everybody, edits,
                     functools.partial(lays_out, engine=engine), looks_right, keeps, explores, opens_hits, stops]
            if engine:
                steps.append(asks_the_engine)
            for step in steps:
                step(page)
                step = getattr(step, "func", step)
                print(f"{step.__name__.replace('_', ' ')}: as it should", flush=True)
            sees_changes(page, program, archive)
            print("sees changes: as it should", flush=True)
            adds(page)
            print("adds: as it should", flush=True)
            asks_nobody_else(page, address)
            print("asks nobody else: as it should")
        except BaseException:
            if page and len(sys.argv) > 2:
                page.driver.save_screenshot(os.path.join(sys.argv[2], "failed.png"))
            raise
        finally:
            if page:
                page.driver.quit()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
