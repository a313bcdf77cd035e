"""Charts: altair specifications, drawn by vl-convert on this machine without a browser or the network.

The SVG takes the page's own text colour, so that it is at home in light and dark; the PNG is for mail.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

import altair as alt
import vl_convert

from attribution.reports import figures, fonts
from attribution.reports.wording import Wording, wording

# Paul Tol's "bright" colours, told apart by colour-blind readers, on light and dark ground.
PALETTE = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377")
OTHER_COLOUR = "#9AA0A6"
INK = "#3C4450"  # becomes the page's text colour in SVG
_FONTS = "Arial, Helvetica, Liberation Sans, sans-serif"
_CJK_FONT = "Noto Sans CJK SC"
_LETTER = 7  # pixels of a wide letter: the reader's font may be wider than the one measured here


@dataclass(frozen=True)
class Size:
    """Where a chart is to fit: pixels of the long and of the short kind, letters of a name, columns of a legend."""

    full: int
    half: int
    letters: int
    columns: int
    for_png: bool = False  # names that this machine has no letters for become numbers


PAGE = Size(full=900, half=500, letters=24, columns=4)
PHONE = Size(full=330, half=330, letters=17, columns=2)
MAIL = Size(full=500, half=500, letters=22, columns=3, for_png=True)  # phones show it narrower still


@dataclass(frozen=True)
class Chart:
    """One chart: what to draw, and in words what it shows (with its figures) for those who do not see it."""

    name: str
    title: str
    alt_text: str
    spec: dict[str, Any]
    note: str = ""  # what numbers in the drawing stand for, and which font would make them names


def png(chart: Chart) -> bytes:
    """Draw for mail at twice the resolution, on white; no address is ever fetched."""
    return _png(json.dumps({**chart.spec, "background": "white"}))


# A described bar as the drawing library writes it.
_BAR = re.compile(r'<path aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="bar"([^>]*)/>')


def svg(chart: Chart) -> str:
    """Draw for the page: no ground of its own, text in the colour of its surroundings, a title on each bar."""
    drawn = _BAR.sub(_titled, _svg(json.dumps(chart.spec)))
    return drawn.replace(INK.lower(), "currentColor").replace(INK, "currentColor")


def _titled(bar: re.Match[str]) -> str:
    # An attribute may hold a bare "<", which in the text of a title would begin an element.
    title = html.escape(html.unescape(bar[1]))
    return f'<path class="bar"{bar[2]}><title>{title}</title></path>'


# The same chart goes to all who receive a report, and is drawn once.
@lru_cache(maxsize=32)
def _png(spec: str) -> bytes:
    return bytes(vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[]))


@lru_cache(maxsize=32)
def _svg(spec: str) -> str:
    return str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))


@dataclass(frozen=True)
class Pen:
    """How a chart is written: the language around it, the one its font has letters for, and the font."""

    say: Wording
    drawn: Wording
    font: str | None

    @staticmethod
    def of(locale: str, font: str | None, size: Size) -> Pen:
        """The pen for a place: in a picture, English stands in for a language whose letters no font here has."""
        say = wording(locale)
        unfit = size.for_png and say.written_in_cjk and not fonts.has_cjk_font(font)
        if say.written_in_cjk and not font:
            font = _CJK_FONT
        return Pen(say, wording("en") if unfit else say, font)

    def bar(self, name: str, part: str, cost: Decimal, code: str, *, provisional: bool = False) -> str:
        """What a bar says when somebody points at it."""
        key = "bar_told_provisional" if provisional else "bar_told"
        of = self.say.together(filter(None, (name, part)))
        return self.say.say(key, of=of, amount=self.say.with_currency(cost, code))


def apart(text: str, taken: Collection[str]) -> str:
    """A label that reads as it is and is none of those taken."""
    while text in taken:
        text += "\N{NO-BREAK SPACE}"
    return text


class Names:
    """Labels for a chart: short, each different from the others, and drawable."""

    def __init__(self, names: Sequence[str], size: Size, pen: Pen, dimension: str) -> None:
        self._labels: dict[str, str] = {}
        self._dimension = dimension
        self._say = pen.say
        numbered: list[tuple[str, str]] = []
        for name in names:
            word = pen.drawn.kind(name) if dimension == "kind" else pen.drawn.value(dimension, name)
            text = figures.label(word, size.letters)
            if size.for_png and not fonts.drawable(text, pen.font):
                numbered.append((f"#{len(numbered) + 1}", text))
                text = numbered[-1][0]
            self._labels[name] = apart(text, self._labels.values())
        self.numbered = tuple(numbered)
        self._in_english = pen.drawn is not pen.say

    @property
    def note(self) -> str:
        """What the numbers in the drawing stand for, and which font would make them names."""
        told = [self._say.say("in_english")] if self._in_english else []
        if self.numbered:
            key = self._say.together(f"{number} = {name}" for number, name in self.numbered)
            told.append(self._say.say("in_the_chart", key=key))
        if self._in_english or any(fonts.needs_cjk(name) for _, name in self.numbered):
            told.append(fonts.CJK_HINT)
        return " ".join(told)

    def whole(self, name: str) -> str:
        """The name as it is told where there is room."""
        word = self._say.kind(name) if self._dimension == "kind" else self._say.value(self._dimension, name)
        return figures.label(word, 80)

    def __getitem__(self, name: str) -> str:
        return self._labels[name]


def extent(labels: Sequence[str]) -> int:
    """Pixels that the longest label may need."""
    return 10 + _LETTER * max(map(len, labels))


def legend(size: Size) -> alt.Legend:
    """A legend under the chart."""
    return alt.Legend(title=None, orient="bottom", columns=size.columns, columnPadding=size.letters + 6)


def data(values: list[dict[str, Any]]) -> alt.InlineData:
    """Rows of a chart; `amount` is decimal text, which becomes a number only while pixels are drawn."""
    return alt.InlineData(values=values, format=alt.JsonDataFormat(parse={"amount": "number", "day": "string"}))


def specification(chart: alt.Chart | alt.LayerChart, font: str | None) -> dict[str, Any]:
    """The looks that all charts share, as a plain Vega-Lite specification; a stated font comes first."""
    fonts_named = f"{font}, {_FONTS}" if font else _FONTS
    looked = (
        chart.configure(background="transparent", font=fonts_named, padding=4)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=INK, domainColor=INK, tickColor=INK, gridColor=INK, gridOpacity=0.14,
            domainOpacity=0.4, tickOpacity=0.4, labelFontSize=11, titleFontSize=11, titleFontWeight="normal",
            aria=False,
        )
        .configure_legend(labelColor=INK, labelFontSize=11, symbolStrokeWidth=0, aria=False)
    )  # fmt: skip
    return dict(looked.to_dict(validate=False))
