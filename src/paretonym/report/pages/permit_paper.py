"""The decision paper: can a purpose be achieved with an anonymised table? For those who decide on access to
data; it compares with the original, and is therefore confidential."""

from __future__ import annotations

from collections.abc import Iterator

from paretonym.base.language import N_, _, format_number, ngettext
from paretonym.base.number_text import significant
from paretonym.base.sentence_parts import percent, upper_first
from paretonym.engine.measures.estimates import MORE_IS_BETTER, Interval, Result
from paretonym.report.decision_paper import DecisionPaper
from paretonym.report.figure_facts import coefficients_figure
from paretonym.report.pages.checklist_section import checklist_section
from paretonym.report.pages.html import STYLE, Html, Part, bullets, page, paragraphs, section, table, tag
from paretonym.report.pages.officer_report import figure, method_section, signatures
from paretonym.report.pages.report_sections import (
    columns_table,
    disclosure_table,
    protection_section,
    risk_paragraph,
    warned,
)
from paretonym.report.report_facts import Chosen

TITLE = N_("Can the purpose be achieved with anonymised data?")
VERDICTS = {
    "achievable": N_("Yes, with the release below."),
    "not achievable": N_("No, with none of the releases that show each column at one level: this is proven."),
    "not found": N_("No release was found; that none exists is not proven."),
}
CRITERIA = {
    "singling-out": N_("singling out"),
    "linkability": N_("linkability"),
    "inference": N_("inference"),
}
# More figures of one analysis are in the JSON twin alone.
MOST_FIGURES = 20


def permit_page(paper: DecisionPaper) -> str:
    """The whole paper."""
    chosen = paper.chosen
    confidential = _(
        "Confidential: for those who decide on access to the data. It compares with the original."
    )
    parts: list[Part] = [
        tag("p", confidential, kind="banner"),
        tag("h1", _(TITLE)),
        tag("p", f"{_(VERDICTS[paper.answer.verdict])} {paper.answer}", kind="answer"),
        *(tag("p", sentence, kind="answer") for sentence in paper.story.verdict),
        *([warned(chosen.warnings)] if chosen is not None else []),
        _purpose(paper),
        _requirement(paper),
        _result(paper),
        *([_release(paper, chosen), _criteria(paper)] if chosen is not None else []),
        *([protection_section(chosen.solution.values, paper.story)] if chosen is not None else []),
        *map(checklist_section, paper.checked),
        _tried(paper),
        method_section(paper.story),
        _decision(paper),
    ]
    return page(_("{title} (confidential)", title=_(TITLE)), STYLE, *parts)


def _analyses(paper: DecisionPaper) -> list[tuple[str, str, str]]:
    """Each analysis with what is compared and how far it may change."""
    purposes = paper.story.record.schema.purposes
    return [
        (str(analysis), name, _bound(name, f"{limit:f}"))
        for analysis in purposes
        if analysis.purpose == paper.answer.purpose
        for name, limit in analysis.tolerance
    ]


def _bound(name: str, limit: str) -> str:
    bound = format_number(limit)
    return _("at least {bound}", bound=bound) if name in MORE_IS_BETTER else _("at most {bound}", bound=bound)


def _purpose(paper: DecisionPaper) -> Html:
    reader = _(
        "Analyses are declared before the release is chosen. In original and release alike, a set of values "
        "is read as spread evenly over its members; numbers enter as numbers, categories as indicators."
    )
    rows = [list(row) for row in _analyses(paper)]
    head = [_("analysis"), _("compared by"), _("tolerance")]
    return section(
        _("1 Purpose"),
        paragraphs(_("Purpose: {name}.", name=paper.answer.purpose)),
        table(head, rows),
        tag("p", reader, kind="quiet"),
    )


def _requirement(paper: DecisionPaper) -> Html:
    rows = [
        [str(limit), paper.set_by(limit) or _("whoever asked the question")] for limit in paper.answer.limits
    ]
    listed: Part = table([_("every release must have"), _("set by, and why")], rows)
    return section(_("2 Requirement"), listed if rows else paragraphs(_("No requirement was made.")))


def _result(paper: DecisionPaper) -> Html:
    parts: list[Part] = []
    if paper.answer.misses:
        parts += [
            tag("h3", _("What comes nearest")),
            bullets(upper_first(m.words) for m in paper.answer.misses),
        ]
    if paper.trial is not None:
        chosen = _("Release {id} beside the original.", id=paper.trial.solution.id)
        closest = _("The nearest release, {id}, beside the original.", id=paper.trial.solution.id)
        parts.append(paragraphs(closest if paper.answer.best is None else chosen))
        for result in paper.trial.results:
            parts += _compared(result)
    return section(_("3 Result"), *parts)


def _compared(result: Result) -> Iterator[Part]:
    """One analysis: its values beside the tolerance, its coefficients as a figure, its numbers."""
    yield tag("h3", str(result.analysis))
    for name, limit in result.analysis.tolerance:
        met = name not in result.missed_measures
        values = {"measure": name, "value": format_number(significant(result.values[name]))}
        values["bound"] = _bound(name, f"{limit:f}")
        sentence = _("{measure} {value}; asked for: {bound}. Within tolerance.", **values)
        missed = _("{measure} {value}; asked for: {bound}. Outside tolerance.", **values)
        yield tag("p", sentence if met else missed, kind="" if met else "no")
    if result.remark:
        yield paragraphs(f"{upper_first(result.remark)}.")
    facts = coefficients_figure(result)
    if facts is not None:
        caption = _("Estimates with their 95 % intervals; each row has a scale of its own.")
        yield figure(facts, caption)
    rows = [[one.name, _shown(one.before), _shown(one.after)] for one in result.figures[:MOST_FIGURES]]
    yield table([_("number"), _("original"), _("release")], rows, numbers=(1, 2))
    if (more := len(result.figures) - MOST_FIGURES) > 0:
        yield paragraphs(ngettext("{number} more is not listed.", "{number} more are not listed.", more))


def _shown(value: Interval | float | None) -> str:
    if value is None:
        return _("not shown")
    if not isinstance(value, Interval):
        return format_number(significant(value))
    numbers = {name: format_number(significant(number)) for name, number in value._asdict().items()}
    return _("{estimate} ({low} to {high})", **numbers)


def _release(paper: DecisionPaper, chosen: Chosen) -> Html:
    parts: list[Part] = [
        paragraphs(
            _("Release {id}. {why}", id=chosen.solution.id, why=chosen.why), chosen.described.left_out
        ),
        columns_table(chosen.described),
        tag("h3", _("Re-identification risk")),
        risk_paragraph(chosen.risk),
    ]
    if chosen.disclosures:
        title = tag("h3", _("Attribute disclosure: what is learned about sensitive values"))
        parts += [title, disclosure_table(chosen.disclosures, paper.story.unit)]
    return section(_("4 Residual risk"), *parts)


def _criteria(paper: DecisionPaper) -> Html:
    title = tag("h3", _("The three criteria, measured"))
    if paper.criteria is None:
        missing = _("Not measured: the run has no control group.")
        return tag("section", title, paragraphs(missing))
    rows = [
        [
            _(CRITERIA[one.name]),
            one.subject,
            one.interval if one.is_measurable else _("not measurable"),
            percent(one.original.share),
            percent(one.control.share),
            _("yes") if one.beats_guessing else _("no"),
        ]
        for one in paper.criteria.criteria
    ]
    head = [
        _("criterion"), _("attack"), _("learned from the release"), _("success: original"),
        _("success: control"), _("better than guessing"),
    ]  # fmt: skip
    about = _(
        "Success of an attack against people of the original and against a control group of the same "
        "population; what counts is the difference. Measured with an interval of 95 %, never proven."
    )
    return tag("section", title, table(head, rows, numbers=(2, 3, 4)), tag("p", about, kind="quiet"))


def _tried(paper: DecisionPaper) -> Html:
    answer = paper.answer
    lines = [
        _(
            "{candidates} releases meet the requirement; measured of these: {evaluated}.",
            candidates=format_number(answer.candidates),
            evaluated=format_number(answer.evaluated),
        )
    ]
    lines += [_("Without proof: the releases by {method}.", method=method) for method in answer.others]
    title = _("4 What was tried") if paper.chosen is None else _("5 What was tried")
    return section(title, bullets(lines))


def _decision(paper: DecisionPaper) -> Html:
    note = _(
        "This paper gives numbers. Whether they suffice is for people to decide; no number in it is a legal "
        "judgement that the table is anonymous."
    )
    return tag("section", paragraphs(note), signatures(paper.story))
