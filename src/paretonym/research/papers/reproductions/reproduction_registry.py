"""Every reproduction, in one readable table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from paretonym.base.errors import InputError, did_you_mean
from paretonym.research.papers.reproductions import li_li_figures as li_li
from paretonym.research.papers.reproductions import pbg_figures as pbg
from paretonym.research.papers.reproductions import poka_figures as poka
from paretonym.research.papers.reproductions import tradeoff_figures as tradeoffs
from paretonym.research.papers.reproductions.printed_numbers import LI_LI, PBG, POKA, TRADEOFFS
from paretonym.research.papers.reproductions.reproduction import Reproduction
from paretonym.research.papers.reproductions.sentence_registry import SENTENCES

ALL = "all"

_ALL = (
    Reproduction("poka-table-3", POKA, "Table 3: nodes evaluated and optima found, by depth", poka.table_3),
    Reproduction("poka-figure-4", POKA, "Figure 4: what is found for three losses", poka.figure_4),
    Reproduction("poka-figure-5", POKA, "Figure 5: what is found at depths 1, 2 and 3", poka.figure_5),
    Reproduction("poka-figure-6", POKA, "Figure 6: share of nodes evaluated, by lattice", poka.figure_6),
    Reproduction("pbg-table-1b", PBG, "Table 1(b): error and ratio, by objectives", pbg.table_1b),
    Reproduction("pbg-table-2a", PBG, "Table 2(a): error and ratio, by size of boxes", pbg.table_2a),
    Reproduction("pbg-table-2b", PBG, "Table 2(b): nodes evaluated, by objectives", pbg.table_2b),
    Reproduction("pbg-figure-1", PBG, "Figure 1: worst-case privacy and loss", pbg.figure_1),
    Reproduction("pbg-figure-2", PBG, "Figure 2: spread of privacy and loss", pbg.figure_2),
    Reproduction("pbg-figure-3", PBG, "Figure 3: privacy and two losses", pbg.figure_3),
    Reproduction("li-li-constants", LI_LI, "Section 5.1: what the measures mean on Adult", li_li.constants),
    Reproduction("li-li-figure-2a", LI_LI, "Figure 2(a): utility loss, by requirement", li_li.figure_2a),
    Reproduction("li-li-figure-2b", LI_LI, "Figure 2(b): utility loss, by method", li_li.figure_2b),
    Reproduction("li-li-figure-3a", LI_LI, "Figure 3(a): query error, by requirement", li_li.figure_3a),
    Reproduction("li-li-figure-3b", LI_LI, "Figure 3(b): query error, by selectivity", li_li.figure_3b),
    Reproduction("li-li-figure-3c", LI_LI, "Figure 3(c): query error, by dimension", li_li.figure_3c),
    Reproduction("tradeoffs-figure-6", TRADEOFFS, "Figure 6: nothing suppressed", tradeoffs.figure_6),
    Reproduction(
        "tradeoffs-figure-7", TRADEOFFS, "Figure 7: at most 10 % or 1 % suppressed", tradeoffs.figure_7
    ),
    Reproduction("tradeoffs-figure-8", TRADEOFFS, "Figure 8: any number suppressed", tradeoffs.figure_8),
    Reproduction("tradeoffs-figure-9", TRADEOFFS, "Figure 9: the same within limits", tradeoffs.figure_9),
    Reproduction(
        "tradeoffs-figure-10", TRADEOFFS, "Figure 10: k and l within 30 % loss", tradeoffs.figure_10
    ),
    Reproduction(
        "tradeoffs-figure-11", TRADEOFFS, "Figure 11: what one percent more buys", tradeoffs.figure_11
    ),
    Reproduction("tradeoffs-answers", TRADEOFFS, "Section 7.5: the publisher's questions", tradeoffs.answers),
)


def _with_sentences(entry: Reproduction) -> Reproduction:
    sentences = SENTENCES.get(entry.name, ())
    return replace(entry, say=lambda result: tuple(sentence.judged(result) for sentence in sentences))


REPRODUCTIONS: Mapping[str, Reproduction] = {entry.name: _with_sentences(entry) for entry in _ALL}


def chosen(name: str) -> tuple[Reproduction, ...]:
    """The reproduction of that name, or all of them."""
    if name == ALL:
        return tuple(REPRODUCTIONS.values())
    if name not in REPRODUCTIONS:
        remedy = did_you_mean(name, [*REPRODUCTIONS, ALL])
        raise InputError.of("NAME", f"unknown reproduction '{name}'", remedy)
    return (REPRODUCTIONS[name],)
