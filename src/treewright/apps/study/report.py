"""A study's report in Markdown and HTML, with the paper's numbers beside ours, and the models."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.levels.controls import counts
from treewright.apps.levels.level import Level
from treewright.apps.levels.player_model import PlayerModel
from treewright.apps.study import analysis, published
from treewright.apps.study.analysis import Influence, Model, Test
from treewright.apps.study.errors import StudyError
from treewright.apps.study.export import public_id
from treewright.apps.study.protocol import PARAMETERS, VARIANTS
from treewright.apps.study.store import Store
from treewright.library.writing import json_text, make_folder, write_whole
from treewright.workshop.experiments.stats import rate
from treewright.workshop.pages import to_html

SIMULATED = "**These data are simulated: automatic players, not people.**"
CAPTIONS = {
    "challenge": "How often each variant was the more challenging of its pair, by order "
    "(the paper's Figure 3)",
    "preference": "How often each variant was preferred, by order (the paper's Figure 4)",
}

ANSWERS = (
    "How often A was chosen, by what A had more or less of than B; small points are single "
    "participants, bars 95 % intervals over the answers"
)


@dataclass
class Findings:
    """What the analysis of a study found."""

    simulated: bool
    participants: int
    pairs: int
    plays: int
    models: dict[str, Model] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)  # models that could not be fitted, why
    order: list[Test] = field(default_factory=list)
    independence: list[Test] = field(default_factory=list)
    chosen: dict[str, list[list[int]]] = field(default_factory=dict)
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    influences: dict[str, list[Influence]] = field(default_factory=dict)
    answers: list[dict[str, Any]] = field(default_factory=list, repr=False)

    def to_dict(self) -> dict[str, Any]:
        return {
            "simulated": self.simulated,
            "participants": self.participants,
            "pairs": self.pairs,
            "plays": self.plays,
            "models": {name: _model_dict(model) for name, model in self.models.items()},
            "without": self.without,
            "order_tests": [vars(t) for t in self.order],
            "independence_tests": [vars(t) for t in self.independence],
            "chosen_by_order": self.chosen,
            "influences": {
                name: [vars(one) | {"participant": public_id(one.participant)} for one in found]
                for name, found in self.influences.items()
            },
        }

    def player_models(self) -> dict[str, PlayerModel]:
        """The fitted choices as scores for the generator."""
        found = {}
        for name in analysis.QUESTIONS:
            if name in self.models:
                fit = self.models[name].fit
                about = {"pairs": fit.n, "simulated": self.simulated, "aic": round(fit.aic, 3)}
                found[name] = PlayerModel(name, fit.coefficients, self.ranges, about=about)
        return found


def _model_dict(model: Model) -> dict[str, Any]:
    return {
        "terms": [
            {
                "name": t.name,
                "odds_ratio": t.odds,
                "direction": t.direction,
                "interval": list(t.odds_interval),
                "coefficient": t.coefficient,
                "p": t.p,
                "firth_odds_ratio": t.firth_odds,
                "unstable": t.unstable,
            }
            for t in model.fit.terms
        ],
        "n": model.fit.n,
        "aic": model.fit.aic,
        "log_likelihood": model.fit.log_likelihood,
        "accuracy": model.validation.accuracy,
        "kappa": model.validation.kappa,
        "accuracy_with_selection_inside": model.honest.accuracy,
        "kappa_with_selection_inside": model.honest.kappa,
    }


def analyse(store: Store) -> Findings:
    """Everything, from people if there are any, else from automatic participants."""
    pairs, plays = store.pair_rows(), store.play_rows()
    simulated = not any(not row["simulated"] for row in pairs)
    pairs = [row for row in pairs if row["simulated"] == simulated]
    plays = [row for row in plays if row["simulated"] == simulated]
    if not pairs:
        raise StudyError(f"{store.path}: nobody has answered yet, so there is nothing to analyse")
    found = Findings(simulated, len({row["participant"] for row in pairs}), len(pairs), len(plays))
    for name in analysis.QUESTIONS:
        found.chosen[name] = analysis.chosen_by_order(pairs, name)
        _try(found, name, lambda name=name: analysis.choice_model(pairs, name))  # type: ignore[misc]
        if name in found.models:
            names = [term.name for term in found.models[name].fit.terms]
            found.influences[name] = analysis.influences(pairs, name, names)
    found.answers = pairs
    _try(found, "experience", lambda: analysis.experience_model(plays))
    found.order = analysis.order_tests(pairs)
    found.independence = analysis.independence_tests(pairs)
    found.ranges = setting_ranges(store)
    return found


def _try(found: Findings, name: str, make: Any) -> None:
    try:
        found.models[name] = make()
    except StudyError as error:
        found.without[name] = str(error)


def setting_ranges(store: Store) -> dict[str, tuple[float, float]]:
    """Counts per slice that the low and the high setting came to, on average over the levels."""
    made: dict[str, dict[int, list[float]]] = {name: {0: [], 1: []} for name in PARAMETERS}
    for row in store.levels():
        level = Level(tuple(row["rows"].split()))
        have = counts(level)
        for name, high in zip(PARAMETERS, VARIANTS[row["variant"] - 1], strict=True):
            made[name][high].append(have[name] / level.length)
    return {name: (_mean(by[0]), _mean(by[1])) for name, by in made.items()}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


# -------------------------------------------------------------------------------- as Markdown


def markdown(found: Findings, title: str) -> str:
    """The report; pictures are beside it."""
    lines = [f"# {title}", ""]
    if found.simulated:
        lines += [SIMULATED, ""]
    lines += [
        f"{found.participants} participants, {found.pairs} pairs, {found.plays} levels played "
        "(the paper: 16, 64 and 128).",
        "",
        "## Order",
        "",
        "Is a level rated differently for being played first? A statistic with p < 0.05 would say "
        "so; the paper found nothing significant.",
        "",
        *_tests(found.order),
        "",
    ]
    for name, caption in CAPTIONS.items():
        lines += [f"![{caption}]({name}.png)", "", f"*{caption}.*", ""]
    lines += [
        "## The answers themselves",
        "",
        f"![{ANSWERS}](answers.png)",
        "",
        f"*{ANSWERS}.*",
        "",
    ]
    lines += [
        "## Which parameter matters alone?",
        "",
        "Pearson's chi-square test of independence, over the levels played: high or low against "
        "chosen or not. In the paper only gaps were significant for challenge (p < 0.005).",
        "",
        *_tests(found.independence),
        "",
    ]
    for name in ("challenge", "preference", "experience"):
        lines += [f"## {name.capitalize()}", "", *_section(found, name), ""]
    lines += [
        "![Odds ratios](odds.png)",
        "",
        "*Odds ratios with 95 % intervals; crosses are the paper's.*",
        "",
    ]
    return "\n".join(lines)


def _tests(tests: Sequence[Test]) -> list[str]:
    lines = ["| test | statistic | p |", "|---|---|---|"]
    return lines + [f"| {t.name} | {t.statistic:.3f} | {_p(t.p)} |" for t in tests]


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


UNSTABLE = (
    "Unstable: the data nearly separate on this variable, or are too few, so that its direction "
    "may be told but hardly its size. Firth's penalised estimate is the better guess; do not quote "
    "the other one."
)


def _section(found: Findings, name: str) -> list[str]:
    theirs = published.MODELS[name]
    if name not in found.models:
        return [f"No model: {found.without[name]}."]
    model = found.models[name]
    rows = [
        f"| {label(t.name)} | {'unstable: ' if t.unstable else ''}{t.odds:.2f} | {t.direction} "
        f"| {_interval(t.odds_interval)} | {t.firth_odds:.2f} "
        f"| {_p(t.p)} | {_published(name, t.name)} |"
        for t in model.fit.terms
    ]
    ours = {t.name for t in model.fit.terms}
    rows += [
        f"| {label(term)} | not chosen | | | | | {_published(name, term)} |"
        for term in theirs.odds
        if term not in ours
    ]
    return [
        "| variable | odds ratio | direction | 95 % interval | Firth's | p | the paper's |",
        "|---|---|---|---|---|---|---|",
        *rows,
        "",
        *([UNSTABLE, ""] if any(t.unstable for t in model.fit.terms) else []),
        *_influences(found.influences.get(name, [])),
        "| ten-fold cross-validation | accuracy | kappa |",
        "|---|---|---|",
        f"| ours, terms chosen once (as in the paper) | {model.validation.accuracy:.2%} "
        f"| {model.validation.kappa:.2f} |",
        f"| ours, terms chosen anew in each fold | {model.honest.accuracy:.2%} "
        f"| {model.honest.kappa:.2f} |",
        f"| the paper's | {theirs.accuracy:.2%} | {theirs.kappa:.2f} |",
        "",
        f"Chosen from {model.candidates} candidates by AIC, exhaustively: {model.fit.aic:.1f} "
        f"with {len(model.fit.terms)} terms over {model.fit.n} rows.",
    ]


def _influences(found: Sequence[Influence]) -> list[str]:
    """Terms that hang on one person, in words."""
    return [
        line
        for one in found
        for line in (
            f"One person decides: without participant {public_id(one.participant)} the odds ratio "
            f"of {label(one.term)} (Firth's) would be {one.without:.2f} instead of {one.odds:.2f}.",
            "",
        )
    ]


def label(term: str) -> str:
    return " × ".join(part.replace("_", " ") for part in term.split(":"))


def _interval(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.2f} to {ends[1]:.2f}"


def _published(name: str, term: str) -> str:
    found = published.MODELS[name].odds.get(term)
    return f"{found[0]:.2f} {'+' if found[1] > 0 else '-'}" if found else "not chosen"


# ------------------------------------------------------------------------------------ pictures


def pictures(found: Findings) -> dict[str, bytes]:
    """challenge.png and preference.png as in Figures 3 and 4, and odds.png."""
    figures = {name: _figure(_bars, found, name) for name in CAPTIONS}
    return figures | {"odds": _figure(_forest, found), "answers": _answers(found)}


def _figure(draw: Any, *arguments: Any) -> bytes:
    figure_module = analysis.load("matplotlib.figure")
    figure = figure_module.Figure(figsize=(7.2, 3.6), layout="constrained")
    draw(figure.subplots(), *arguments)
    return _png(figure)


def _png(figure: Any) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110)
    return out.getvalue()


def _answers(found: Findings) -> bytes:
    """The data: a panel for each question and parameter."""
    figure = analysis.load("matplotlib.figure").Figure(figsize=(7.2, 4.8), layout="constrained")
    panels = figure.subplots(len(analysis.QUESTIONS), len(PARAMETERS), sharex=True, sharey=True)
    for question, row in zip(analysis.QUESTIONS, panels, strict=True):
        for parameter, axes in zip(PARAMETERS, row, strict=True):
            _panel(axes, found.answers, question, parameter)
        row[0].set_ylabel(f"A chosen: {question}")
    if found.simulated:
        figure.suptitle("simulated data", fontsize=9, color="#a33")
    return _png(figure)


def _panel(axes: Any, rows: Sequence[dict[str, Any]], question: str, parameter: str) -> None:
    for x in (-1, 0, 1):
        mine = [row for row in rows if row[parameter] == x]
        if not mine:
            continue
        by: dict[str, list[bool]] = {}
        for row in mine:
            by.setdefault(row["participant"], []).append(row[question] == "A")
        shares = sorted(sum(chosen) / len(chosen) for chosen in by.values())
        places = [x - 0.22 + 0.44 * (i + 0.5) / len(shares) for i in range(len(shares))]
        axes.plot(places, shares, ".", color="#8aa4c0", ms=4, zorder=1)
        chosen = sum(row[question] == "A" for row in mine)
        share = rate(chosen, len(mine))
        axes.plot([x, x], [share.low, share.high], color="#c8372d", lw=2)
        axes.plot([x], [share.value], "o", color="#c8372d")
    axes.axhline(0.5, color="0.8", lw=1, zorder=0)
    axes.set_xticks([-1, 0, 1], ["less", "as many", "more"])
    axes.set_xlabel(parameter)
    axes.spines[["top", "right"]].set_visible(False)


def _bars(axes: Any, found: Findings, name: str) -> None:
    chosen = found.chosen[name]
    for k, side in enumerate("AB"):
        xs = [i + (k - 0.5) * 0.38 for i in range(len(chosen))]
        bars = axes.bar(
            xs, [c[k] for c in chosen], 0.36, color=("#35618f", "#e0933e")[k], label=f"as {side}"
        )
        axes.bar_label(bars, fontsize=8, color="0.3")
    words = [
        "".join(letter.upper() if high else letter for letter, high in zip("ger", v, strict=True))
        for v in VARIANTS
    ]
    axes.set_xticks(range(len(chosen)), [f"{i}\n{w}" for i, w in enumerate(words, 1)])
    axes.set_xlabel("variant (G, E, R: many gaps, enemies, rewards)")
    verb = "more challenging" if name == "challenge" else "preferred"
    axes.set_ylabel(f"times {verb}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    if found.simulated:
        axes.set_title("simulated data", fontsize=9, color="#a33")


def _forest(axes: Any, found: Findings) -> None:
    """Signed odds ratios of the two choices, on a logarithmic scale."""
    rows = []
    for name in analysis.QUESTIONS:
        ours = {t.name: t for t in found.models[name].fit.terms} if name in found.models else {}
        theirs = published.MODELS[name].odds
        rows += [(name, term, ours.get(term), theirs.get(term)) for term in {**theirs, **ours}]
    for y, (_, _, term, paper) in enumerate(reversed(rows)):
        if term is not None:
            low, middle, high = np.exp([term.low, term.coefficient, term.high])
            axes.plot([low, high], [y, y], color="#35618f", lw=2)
            axes.plot([middle], [y], "o", color="#35618f")
        if paper is not None:
            axes.plot([paper[0] ** paper[1]], [y], "x", color="#c8372d", ms=7, mew=2)
    axes.axvline(1, color="0.7", lw=1, zorder=0)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [f"{n}: {label(t)}" for n, t, _, _ in reversed(rows)])
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlabel("odds ratio (log scale); crosses: the paper")
    axes.spines[["top", "right"]].set_visible(False)
    if found.simulated:
        axes.set_title("simulated data", fontsize=9, color="#a33")


def write(found: Findings, folder: Path, title: str) -> list[Path]:
    """report.md, report.html, pictures and the models, in a folder."""
    make_folder(folder)
    images = {f"{name}.png": data for name, data in pictures(found).items()}
    text = markdown(found, title)
    files: dict[str, str | bytes] = {**images, "report.md": text}
    files["report.html"] = to_html(text, images, title)
    files["findings.json"] = json_text(found.to_dict(), indent=2)
    written = []
    for name, data in files.items():
        path = folder / name
        write_whole(path, data, StudyError)
        written.append(path)
    for name, model in found.player_models().items():
        model.save(folder / f"{name}.json")
        written.append(folder / f"{name}.json")
    return written
