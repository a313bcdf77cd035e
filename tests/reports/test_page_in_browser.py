"""The page as a person uses it, in a real browser: sorting, filtering, drilling down, by pointer and by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import polars as pl
import pytest
from browser_kit import started
from report_browser import complaints, shown
from report_company import HARMFUL, WEEK, company, crowd, everything, harmful

from attribution.reports import figures
from attribution.reports.build import build_report
from attribution.reports.page import render_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

WIDTHS = (360, 768, 1280, 1920)
TREE = ".tree"
WIDER = """() => [...document.querySelectorAll(".block table, .line")]
  .filter((one) => one.scrollWidth > one.parentElement.clientWidth + 1).map((one) => one.textContent.slice(0, 80))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="module")
def crowded() -> str:
    return render_page(build_report(crowd(500), WEEK))


@pytest.fixture(scope="module")
def everyones() -> str:
    return render_page(build_report(company(), WEEK))


def table(page: Page, heading: str) -> Locator:
    return page.locator("section.block", has=page.get_by_role("heading", name=heading, exact=True)).locator(".sifted")


def column(rows: Locator, number: int) -> list[str]:
    """Texts of a column's visible cells."""
    script = "(rows, n) => rows.filter((row) => !row.hidden).map((row) => row.cells[n].innerText.trim())"
    texts: list[str] = rows.evaluate_all(script, number)
    return texts


def amounts(texts: list[str]) -> list[Decimal]:
    return [Decimal(text.replace(",", "")) for text in texts]


def test_a_missing_browser_is_a_failure_only_where_all_must_be_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    for stated, ends in (("true", pytest.fail.Exception), ("", pytest.skip.Exception)):
        monkeypatch.setenv("CI", stated)
        with pytest.raises(ends, match="apt-get install chromium"), started():
            pass


def test_headings_sort_by_the_value_behind_the_text(browser: Browser, crowded: str) -> None:
    with shown(browser, crowded) as page:
        experiments = table(page, "By experiment, USD")
        rows = experiments.locator("tbody").first.locator("tr")
        before = experiments.get_by_role("button", name="before")
        head = experiments.locator("th", has=page.get_by_role("button", name="before"))
        for turn, falls in (("descending", True), ("ascending", False)):
            before.click()
            assert head.get_attribute("aria-sort") == turn
            seen = amounts(column(rows, 2))
            assert len(seen) == 15
            assert seen == sorted(seen, reverse=falls)
        every = amounts(rows.locator("td:nth-child(3)").all_text_contents())
        assert every == sorted(every)
        assert seen == every[:15]
        experiments.get_by_role("button", name="Experiment").click()
        assert head.get_attribute("aria-sort") is None
        assert column(rows, 0) == [f"experiment-{n:04}" for n in range(15)]


def test_what_is_unknown_is_sorted_last_and_dates_as_dates(browser: Browser) -> None:
    frames = company()
    rows = frames.restatements.to_dicts()
    changed = [
        rows[0]
        | {"project": f"p{n}", "month": day, "after": None if n == 1 else Decimal(n * 1000), "before": Decimal(7)}
        for n, day in enumerate(pl.date_range(pl.date(2026, 4, 1), pl.date(2026, 9, 1), "1mo", eager=True).to_list())
    ]
    restated = pl.DataFrame(changed, schema=frames.restatements.schema)
    with shown(browser, render_page(build_report(replace(frames, restatements=restated), WEEK))) as page:
        months = table(page, "Past months that changed (USD)")
        rows_shown = months.locator("tbody").first.locator("tr")
        for turn in range(2):
            months.get_by_role("button", name="after").click()
            assert column(rows_shown, 3)[-1] == "unknown", turn
        months.get_by_role("button", name="month").click()
        assert column(rows_shown, 0) == [f"{name} 2026" for name in ("Apr", "May", "Jun", "Jul", "Aug", "Sept")]


def test_a_filter_narrows_and_says_how_many_and_how_much(browser: Browser, crowded: str) -> None:
    daily = crowd(500).daily.filter(
        pl.col("experiment").str.contains("-00[0-3]7$") & (pl.col("usage_date") == WEEK.first)
    )
    expected = sum(daily.get_column("EffectiveCost").to_list(), Decimal(0))
    with shown(browser, crowded) as page:
        experiments = table(page, "By experiment, USD")
        rows, status = experiments.locator("tbody").first.locator("tr"), experiments.get_by_role("status")
        box = experiments.get_by_role("searchbox", name="Filter: By experiment, USD")
        box.fill("7 EXPERIMENT-00")
        assert len(column(rows, 0)) == 15
        assert status.inner_text().startswith("19 of 500 rows · together ")
        experiments.get_by_role("button", name="Show all 19").click()
        assert len(column(rows, 0)) == 19
        experiments.get_by_role("button", name="Show fewer").click()
        box.fill("nobody is called so")
        assert column(rows, 0) == []
        assert status.inner_text() == "0 of 500 rows"
        box.press("Escape")
        assert (box.input_value(), status.inner_text(), len(column(rows, 0))) == ("", "", 15)
        sums = []
        for n in range(4):
            box.fill(f"experiment-00{n}7")
            sums.append(Decimal(status.inner_text().split()[-2].replace(",", "")))
        assert sum(sums) == expected


def test_findings_are_filtered_by_project_and_owner(browser: Browser, everyones: str) -> None:
    with shown(browser, everyones) as page:
        tree = page.locator(TREE).first
        tree.get_by_role("combobox", name="Owner").select_option("jonas")
        assert tree.get_by_role("status").inner_text().startswith("3 of 10 experiments · together ")
        shown_now = tree.locator("details.experiment:visible > summary")
        assert [text.split()[1] for text in shown_now.all_inner_texts()] == ["jonas"] * 3
        tree.get_by_role("combobox", name="Project").select_option("cygnus-serving")
        assert tree.get_by_role("status").inner_text().startswith("1 of 10 experiments")


def test_the_drill_down_opens_to_resources_and_each_level_sums_to_the_one_above(browser: Browser, crowded: str) -> None:
    with shown(browser, crowded) as page:
        tree = page.locator(TREE)
        for level in ("project", "stage", "experiment"):
            tree.locator(f"details.{level} > summary").first.click()
        leaves = tree.locator("details.experiment").first.locator(".leaf")
        assert leaves.count() == 5
        assert "node-" in leaves.first.inner_text()
        apart = tree.evaluate(
            """(tree) => {
              const cents = (line) => Number(line.querySelector(".n").textContent.replace(/[^0-9-]/g, ""));
              const lines = (branch) => [...branch.children].flatMap((one) =>
                one.matches("details") ? [one.querySelector("summary")] : one.matches(".leaf, .rest") ? [one] : []);
              const sum = (branch) => lines(branch).reduce((added, line) => added + cents(line), 0);
              const wrong = [...tree.querySelectorAll("details")]
                .filter((branch) => sum(branch) !== cents(branch.querySelector("summary")));
              return [wrong.length, sum(tree) - cents(tree.querySelector(".total")), sum(tree)];
            }"""
        )
        assert apart[:2] == [0, 0]
        week = crowd(500).daily.filter(pl.col("usage_date") == WEEK.first).get_column("EffectiveCost").to_list()
        assert Decimal(apart[2]) / 100 == sum(week, Decimal(0))


def test_a_resource_is_found_by_its_name_and_its_branch_opens(browser: Browser, crowded: str) -> None:
    with shown(browser, crowded) as page:
        tree = page.locator(TREE)
        tree.get_by_role("searchbox").fill("node-0123-2")
        assert tree.get_by_role("status").inner_text().startswith("1 of 500 experiments · together ")
        assert [text.split()[0] for text in tree.locator(".leaf:visible").all_inner_texts()] == ["node-0123-2"]
        tree.get_by_role("searchbox").press("Escape")
        assert tree.locator("details.project:visible").count() == 20
        tree.get_by_role("button", name="Open all").click()
        assert tree.locator(".leaf:visible").count() == 2500


def test_all_of_it_works_by_keyboard(browser: Browser, everyones: str) -> None:
    with shown(browser, everyones) as page:
        tree, focused = page.locator(TREE).first, "document.activeElement.querySelector('.name').innerText"
        tree.get_by_role("button", name="Open all").focus()
        page.keyboard.press("Tab")
        for keys, at in (
            ("ArrowRight ArrowRight", "pretraining"),
            ("Enter ArrowDown", "atlas-main mira"),
            ("Home End", "shared"),
            ("Home ArrowRight ArrowLeft ArrowLeft", "atlas-7b"),
            ("ArrowLeft ArrowLeft ArrowDown", "cygnus-serving"),
            ("ArrowUp", "atlas-7b"),
        ):
            for key in keys.split():
                page.keyboard.press(key)
            assert page.evaluate(focused) == at, keys
        assert tree.locator("details[open]").count() == 0
        head = table(page, "By project, USD").get_by_role("button", name="Project")
        head.focus()
        page.keyboard.press("Enter")
        assert table(page, "By project, USD").locator("th[aria-sort=ascending]").count() == 1


def test_charts_say_their_figures_to_pointer_and_keyboard(browser: Browser, everyones: str) -> None:
    with shown(browser, everyones) as page:
        drawing, tip = page.locator(".chart-daily .only-wide").first, page.locator(".tip")
        said = drawing.locator(".bar").first
        said.hover()
        assert tip.inner_text().startswith("28 Sept, atlas-7b: ")
        page.mouse.move(0, 0)
        assert tip.inner_text() == ""
        drawing.focus()
        for key in ("ArrowRight", "ArrowRight", "Home"):
            page.keyboard.press(key)
        assert tip.inner_text().startswith("28 Sept, atlas-7b: ")
        page.keyboard.press("End")
        assert tip.inner_text().endswith(", provisional")
        page.keyboard.press("Escape")
        assert tip.inner_text() == ""


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
def test_axe_finds_nothing_serious_and_nothing_runs_over_the_side(browser: Browser, locale: str) -> None:
    html = render_page(build_report(everything(locale), WEEK))
    with shown(browser, html, width=1280, color_scheme="light") as page:
        page.locator(".tree input").first.fill("a")
        page.locator(".chart-daily .only-wide").first.focus()
        page.keyboard.press("Home")
        assert complaints(page) == []
        page.emulate_media(color_scheme="dark")
        assert complaints(page, "color-contrast") == []
        page.locator(".unfold").first.click()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, width
            assert page.evaluate(WIDER) == [], width
        page.set_viewport_size({"width": 360, "height": 900})
        assert complaints(page) == []


def test_names_that_mean_harm_are_text_in_the_browser(browser: Browser) -> None:
    with shown(browser, render_page(build_report(harmful(), WEEK)), width=360) as page:
        page.locator(".unfold").first.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.locator("img, iframe, script:not(body > script)").count() == 0
        names = page.locator("details.project > summary bdi").all_inner_texts()
        options = page.locator(".tree select[data-by=project] option").all_inner_texts()
        for name in HARMFUL.values():
            assert figures.label(name, 120) in names
            assert " ".join(figures.label(name).split()) in options
        page.locator(".tree select[data-by=project]").select_option(figures.label(HARMFUL["script"]))
        assert page.locator("details.experiment:visible").count() == 1
        page.locator(".bar:visible").first.hover()
        assert page.locator(".tip").inner_text() != ""


def test_no_other_script_can_run_on_the_page(browser: Browser, everyones: str) -> None:
    smuggled = everyones.replace("<footer>", "<script>document.title = 'taken'</script><footer onclick='x()'>")
    with shown(browser, smuggled, wrong=(refused := [])) as page:
        page.locator("footer").click()
        assert page.title() != "taken"
        assert page.evaluate("document.documentElement.className") == "ready"
    assert len(refused) == 2
    assert all("Content Security Policy" in one for one in refused)


def test_without_javascript_the_page_still_reads(browser: Browser, crowded: str) -> None:
    with shown(browser, crowded, java_script_enabled=False) as page:
        assert page.locator(".tools:visible, .more:visible, th button").count() == 0
        assert page.locator(".sifted tbody tr:visible").filter(has_text="experiment-").count() == 500
        page.locator("details.project > summary").first.click()
        assert page.locator("details.stage > summary").first.is_visible()


def test_a_page_of_many_stays_small_and_keeps_its_sums(browser: Browser) -> None:
    html = render_page(build_report(crowd(1200), WEEK))
    assert len(html.encode()) < 2_000_000
    with shown(browser, html) as page:
        assert page.evaluate("document.documentElement.className") == "ready"
        assert "more, together" in page.locator(".tree .rest").first.text_content()  # type: ignore[operator]
