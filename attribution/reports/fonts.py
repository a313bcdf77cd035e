"""Which letters a chart drawn here can show; the page's SVG is drawn by the reader's browser and needs none of it.

A PNG is drawn with the fonts of this machine; letters without a font would become boxes, so such a name is
replaced by a number and the mail's text says what the number stands for.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from functools import cache
from pathlib import Path

CJK_HINT = (
    "Chinese, Japanese and Korean letters in charts need a CJK font on the machine that draws them, "
    "for instance Noto Sans CJK (Debian and Ubuntu: fonts-noto-cjk)."
)
_CJK_FILES = (
    "notosanscjk", "notoserifcjk", "notosanssc", "notosanstc", "notosansjp", "notosanskr", "sourcehan", "wqy",
    "wenquanyi", "droidsansfallback", "uming", "ukai", "arphic", "ipag", "takao", "vlgothic", "nanum", "unbatang",
    "pingfang", "hiragino", "stheiti", "songti", "applegothic", "arialunicode", "msyh", "simsun", "simhei",
    "msgothic", "meiryo", "malgun", "sarasa", "lxgw", "unifont",
)  # fmt: skip
_CJK_BLOCKS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC", "FULLWIDTH")
_REGION = re.compile(r" (SC|TC|HK|JP|KR)$")  # one file holds the letters of all regions
_PLAIN_UNTIL = 0x0500  # Latin, Greek and Cyrillic: in every default font


def _folders() -> list[Path]:
    home = Path.home()
    if sys.platform == "darwin":
        return [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    if sys.platform == "win32":
        return [Path(os.environ.get("SYSTEMROOT", "")) / "Fonts"]
    return [
        Path("/usr/share/fonts"),
        Path("/usr/local/share/fonts"),
        home / ".fonts",
        Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share") / "fonts",
    ]


@cache
def has_cjk_font(stated: str | None = None) -> bool:
    """Whether a font with Chinese, Japanese or Korean letters is installed, judged by file names.

    Args:
        stated: the family that the workspace names; without it, any well-known one will do.
    """
    wanted = (_plain(_REGION.sub("", stated)),) if stated else _CJK_FILES
    for folder in _folders():
        for file in folder.rglob("*.[tToO][tT][fFcC]") if folder.is_dir() else ():
            if _plain(file.name).startswith(wanted):
                return True
    return False


def _plain(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")


def _is_cjk(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(_CJK_BLOCKS)


def needs_cjk(text: str) -> bool:
    """Whether a text has Chinese, Japanese or Korean letters."""
    return any(_is_cjk(letter) for letter in text)


def drawable(text: str, stated: str | None = None) -> bool:
    """Whether a PNG drawn here shows every letter; emoji and rarer scripts are never counted on."""
    return all(
        ord(letter) < _PLAIN_UNTIL
        or (_is_cjk(letter) and has_cjk_font(stated))
        or unicodedata.category(letter) in ("Pd", "Pi", "Pf", "Po", "Sc")
        for letter in text
    )
