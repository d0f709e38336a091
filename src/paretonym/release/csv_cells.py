"""Cells of a CSV file that no spreadsheet runs as a formula, and that no two values share.

A cell that a spreadsheet could take for a formula gets an apostrophe in front. So does one that would look
the same as such a cell afterwards: what begins with apostrophes and goes on like a formula. Every value can
then be told from every other, and taking one apostrophe off such cells gives the values back.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

# Blanks may stand in front: some programs take them away. Wide signs are read as their narrow twins.
FORMULA = r"^['\s\x{a0}\x{feff}\x{3000}]*[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]|^'*[\t\r\n]"
NUMBER = r"^[+-]?([0-9][0-9.,]*|[.,][0-9]+)([eE][+-]?[0-9]+)?%?$"
# Quoted also for the sake of programs that expect another separator.
QUOTED = r"""[",;|\t\r\n]|^\s|\s$"""
SEPARATOR, LINE_END = ",", "\n"


def harmless(texts: Any) -> Any:
    """The texts of an Arrow array, none of which a spreadsheet runs; numbers stay as they are.

    >>> harmless(pa.array(["=1+1", "'=1+1", "-5", "+49 30", "a=b"])).to_pylist()
    ["'=1+1", "''=1+1", '-5', "'+49 30", 'a=b']
    """
    runs = pc.and_not(pc.match_substring_regex(texts, FORMULA), pc.match_substring_regex(texts, NUMBER))
    if not pc.any(runs).as_py():
        return texts
    return pc.if_else(runs, _joined("'", texts), texts)


def harmless_name(name: str) -> str:
    return str(harmless(pa.array([name]))[0].as_py())


def cells(texts: Any, last: bool, alone: bool) -> Any:
    """What stands in a file for each text and, behind them, for a null; with the separator or line end.

    >>> cells(pa.array(["a", 'b"c']), last=False, alone=False).to_pylist()
    ['a,', '"b""c",', ',']
    """
    harmed = harmless(texts).cast(pa.large_string())
    quoted = _joined(_joined('"', pc.replace_substring(harmed, '"', '""')), '"')
    shown = pc.if_else(pc.match_substring_regex(harmed, QUOTED), quoted, harmed)
    # A line of its own must not be blank: readers would skip it.
    null = '""' if alone else ""
    every = pa.concat_arrays([shown, pa.array([null], pa.large_string())])
    return _joined(every, LINE_END if last else SEPARATOR)


def _joined(first: Any, second: Any) -> Any:
    kind = next(part.type for part in (first, second) if isinstance(part, pa.Array))
    parts = [pa.scalar(part, kind) if isinstance(part, str) else part for part in (first, second)]
    return pc.binary_join_element_wise(*parts, pa.scalar("", kind))
