"""Cells that a spreadsheet would run as a formula: a release has an apostrophe before them in CSV files.

Taking it off again gives every value back, since a text that already looked like that got one more. Only for
comparing with an original: measured is what stands in the file.
"""

from __future__ import annotations

import re

from paretonym.audits.sql_engine import quoted

BLANKS = "\\s\u00a0\ufeff\u3000"
STARTS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
ESCAPED = f"^'(?:['{BLANKS}]*[{STARTS}]|'*[\\t\\r\\n])"
# Numbers are not escaped, signs or not.
NUMBER = "^'[+-]?(?:[0-9][0-9.,]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?$"


def meant(text: str) -> str:
    """A name or cell of a CSV file as it was before.

    >>> meant("'=1"), meant("''=1"), meant("'-5"), meant("'tis"), meant("-5")
    ('=1', "'=1", "'-5", "'tis", '-5')
    """
    return text[1:] if re.search(ESCAPED, text) and not re.search(NUMBER, text) else text


def cell_as_meant(column: str) -> str:
    """The same for the cells of a column, as SQL."""
    escaped, number = (f"regexp_matches({column}, {quoted(form)})" for form in (ESCAPED, NUMBER))
    return f"if({escaped} and not {number}, substr({column}, 2), {column}) as {column}"
