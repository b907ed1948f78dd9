"""The paper's analysis: logistic regression with differences and interactions, chosen by AIC.

Estimates and intervals are statsmodels', cross-validation and information gain scikit-learn's,
tests SciPy's.  Only the exhaustive search over subsets of terms is our own: thousands of little
regressions at once, by Newton's method on arrays (``log_likelihoods``).
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np

from treewright.apps.levels.player_model import experience_code
from treewright.apps.study import terms
from treewright.apps.study.errors import StudyError
from treewright.apps.study.features import FEATURES
from treewright.apps.study.protocol import PARAMETERS, VARIANTS
from treewright.errors import MissingExtra

FOLDS = 10
SCREENED = 12  # features of play that the exhaustive search sees, by information gain
QUESTIONS = ("challenge", "preference")
NEWTON_STEPS = 30
LARGEST = 20.0  # a coefficient beyond this means that the data separate

Rows = Sequence[Mapping[str, Any]]


def load(module: str) -> Any:
    """SciPy, statsmodels and scikit-learn are an extra."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra("analysing a study", "study") from None


# ------------------------------------------------------------------------- logistic regression


@dataclass(frozen=True)
class Term:
    """An estimate on the scale of log odds, with its 95 % interval."""

    name: str
    coefficient: float
    low: float
    high: float
    p: float
    firth: float = math.nan  # the coefficient by Firth's penalised likelihood

    @property
    def unstable(self) -> bool:
        """Whether the data hardly say how large it is: nearly separated, or too few.

        The ends of the interval are a factor of 100 apart, or Firth's estimate has less than half
        or more than twice the odds.
        """
        wide = self.high - self.low > math.log(100)
        return wide or abs(self.coefficient - self.firth) > math.log(2)

    @property
    def firth_odds(self) -> float:
        """Firth's odds ratio in the direction of the estimate."""
        return float(np.exp(self.firth if self.coefficient >= 0 else -self.firth))

    @property
    def odds(self) -> float:
        """The odds ratio as the paper prints it: above 1, with the direction apart."""
        return float(np.exp(abs(self.coefficient)))

    @property
    def odds_interval(self) -> tuple[float, float]:
        ends = (self.low, self.high) if self.coefficient >= 0 else (-self.high, -self.low)
        low, high = np.exp(ends)
        return float(low), float(high)

    @property
    def direction(self) -> str:
        return "+" if self.coefficient >= 0 else "-"


@dataclass(frozen=True)
class Fit:
    """A fitted logistic regression."""

    terms: list[Term]  # without the constant
    constant: Term
    log_likelihood: float
    aic: float
    n: int

    @property
    def coefficients(self) -> dict[str, float]:
        return {t.name: t.coefficient for t in self.terms}


def fit(x: np.ndarray, y: np.ndarray, names: Sequence[str]) -> Fit:
    """Maximum likelihood by statsmodels, with a constant."""
    api = load("statsmodels.api")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is tested below
        try:
            found = api.Logit(y, np.column_stack([np.ones(len(y)), x])).fit(
                disp=0, method="newton", maxiter=100
            )
        except (np.linalg.LinAlgError, ValueError) as error:
            raise StudyError(
                f"the regression on {', '.join(names)} has no answer: {error}"
            ) from None
        except Exception as error:  # statsmodels' own, for perfect separation
            raise StudyError(f"the regression on {', '.join(names)}: {error}") from None
    if not found.mle_retvals["converged"] or np.abs(found.params).max(initial=0) > 1e3:
        raise StudyError(
            f"the data separate perfectly on {', '.join(names)}: there is no finite estimate"
        )
    intervals = found.conf_int()
    penalised = firth(np.column_stack([np.ones(len(y)), x]), y)
    table = [
        Term(name, float(b), float(low), float(high), float(p), float(f))
        for name, b, (low, high), p, f in zip(
            ("constant", *names), found.params, intervals, found.pvalues, penalised, strict=True
        )
    ]
    return Fit(table[1:], table[0], float(found.llf), float(found.aic), len(y))


def firth(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Coefficients by Firth's penalised likelihood (1993), finite for separated data too.

    Half the log determinant of the information is added to the log likelihood, which takes the
    first-order bias away: the score gets ``h (1/2 - p)``, with ``h`` the leverages.
    """
    beta = np.zeros(x.shape[1])
    for _ in range(200):
        p = 1.0 / (1.0 + np.exp(-(x @ beta)))
        weights = np.maximum(p * (1.0 - p), 1e-12)
        inverse = np.linalg.pinv((x * weights[:, None]).T @ x)
        leverage = weights * np.einsum("ij,jk,ik->i", x, inverse, x)
        step = inverse @ (x.T @ (y - p + leverage * (0.5 - p)))
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
        beta += step
        if np.abs(step).max() < 1e-8:
            break
    return beta


def profile_intervals(
    x: np.ndarray, y: np.ndarray, level: float = 0.95
) -> list[tuple[float, float]]:
    """Profile-likelihood intervals of the coefficients; an end is infinite if the data separate.

    A value is inside if fixing the coefficient to it costs no more log likelihood than half the
    chi-square quantile.  Unlike the estimate itself this exists for separated data too.
    """
    optimize, stats = load("scipy.optimize"), load("scipy.stats")
    full = np.column_stack([np.ones(len(y)), x])
    allowed = stats.chi2.ppf(level, 1) / 2
    best, beta = maximum(full, y, np.zeros(len(y)))
    found = []
    for j in range(1, full.shape[1]):
        others = np.delete(full, j, axis=1)

        def cost(value: float, j: int = j, others: np.ndarray = others) -> float:
            return float(best - maximum(others, y, value * full[:, j])[0] - allowed)

        near = float(np.clip(beta[j], -LARGEST, LARGEST))
        low = -np.inf if cost(-LARGEST) <= 0 else optimize.brentq(cost, -LARGEST, near)
        high = np.inf if cost(LARGEST) <= 0 else optimize.brentq(cost, near, LARGEST)
        found.append((float(low), float(high)))
    return found


def maximum(x: np.ndarray, y: np.ndarray, offset: np.ndarray) -> tuple[float, np.ndarray]:
    """The largest log likelihood with ``offset`` added; if it is at infinity, one close to it."""
    beta = np.zeros(x.shape[1])
    value = _likelihood(x @ beta + offset, y)
    for _ in range(4 * NEWTON_STEPS):
        p = 1.0 / (1.0 + np.exp(-(x @ beta + offset)))
        hessian = (x * (p * (1.0 - p))[:, None]).T @ x + 1e-9 * np.eye(x.shape[1])
        step = np.linalg.solve(hessian, x.T @ (y - p))
        step *= min(1.0, 4.0 / max(np.abs(step).max(), 1e-12))
        while (now := _likelihood(x @ (beta + step) + offset, y)) < value - 1e-12:
            step /= 2.0
        beta += step
        if now - value < 1e-9:
            return now, beta
        value = now
    return value, beta


def _likelihood(eta: np.ndarray, y: np.ndarray) -> float:
    return float((y * eta - np.logaddexp(0.0, eta)).sum())


def log_likelihoods(x: np.ndarray, y: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The maximised log likelihood for each subset of columns; -inf where there is no maximum.

    ``masks[s]`` says which columns subset ``s`` has.  Newton's method for all subsets at once: a
    column that is left out has its gradient at 0 and 1 on the diagonal of the Hessian.
    """
    beta = np.zeros(masks.shape)
    value = np.full(len(masks), -np.inf)
    active = np.arange(len(masks))
    products = x[:, :, None] * x[:, None, :]
    for _ in range(NEWTON_STEPS):
        mask = masks[active]
        p = 1.0 / (1.0 + np.exp(-(beta[active] @ x.T)))
        gradient = ((y - p) @ x) * mask
        weights = p * (1.0 - p)
        hessian = np.tensordot(weights, products, axes=1) * (mask[:, :, None] & mask[:, None, :])
        hessian += np.eye(x.shape[1]) * ~mask[:, None, :]
        hessian += 1e-10 * np.eye(x.shape[1])
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        beta[active] += step
        size = np.abs(step).max(axis=1)
        gone = (np.abs(beta[active]).max(axis=1) > LARGEST) | ~np.isfinite(size)
        ended = (size < 1e-9) & ~gone
        done = active[ended]
        eta = beta[done] @ x.T
        value[done] = (y * eta - np.logaddexp(0.0, eta)).sum(axis=1)
        active = active[~ended & ~gone]
        if not len(active):
            break
    return value


def select(
    x: np.ndarray, y: np.ndarray, names: Sequence[str], most: int | None = None
) -> list[str]:
    """The subset of terms with the least AIC, of all subsets (with at most ``most`` terms)."""
    count = len(names)
    subsets = [s for k in range((most or count) + 1) for s in combinations(range(count), k)]
    masks = np.zeros((len(subsets), count + 1), bool)
    masks[:, 0] = True  # the constant is always there
    for row, subset in enumerate(subsets):
        masks[row, [i + 1 for i in subset]] = True
    scale = np.maximum(np.abs(x).max(axis=0, initial=0.0), 1e-12)
    with_constant = np.column_stack([np.ones(len(y)), x / scale])
    found = np.concatenate(
        [
            log_likelihoods(with_constant, y, part)
            for part in np.array_split(masks, max(1, len(masks) // 1024))
        ]
    )
    aic = 2.0 * masks.sum(axis=1) - 2.0 * found
    return [names[i] for i in subsets[int(np.argmin(aic))]]


# ---------------------------------------------------------------------------- cross-validation


@dataclass(frozen=True)
class Validation:
    """How well unseen rows are told apart."""

    accuracy: float
    kappa: float


def judge(y: np.ndarray, predicted: np.ndarray) -> Validation:
    metrics = load("sklearn.metrics")
    if len(set(y.tolist()) | set(predicted.tolist())) < 2:
        return Validation(1.0, 0.0)
    return Validation(
        float(metrics.accuracy_score(y, predicted)), float(metrics.cohen_kappa_score(y, predicted))
    )


def folds(y: np.ndarray, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Ten folds with the same share of each answer."""
    fewest = int(min((y == 0).sum(), (y == 1).sum()))
    if fewest < 2:
        raise StudyError("cross-validation needs at least two of each answer")
    kfold = load("sklearn.model_selection").StratifiedKFold(
        min(FOLDS, fewest), shuffle=True, random_state=seed
    )
    return list(kfold.split(np.zeros(len(y)), y))


def estimator() -> Any:
    """scikit-learn's logistic regression without a penalty, on standardised columns."""
    linear = load("sklearn.linear_model")
    pipeline = load("sklearn.pipeline")
    scaler = load("sklearn.preprocessing").StandardScaler()
    return pipeline.make_pipeline(
        scaler, linear.LogisticRegression(C=np.inf, max_iter=1000, tol=1e-8)
    )


def cross_validate(x: np.ndarray, y: np.ndarray, seed: int = 0) -> Validation:
    """Ten-fold cross-validation of a model whose terms are given, as in the paper."""
    if x.shape[1] == 0:
        return judge(y, np.full(len(y), int(y.mean() > 0.5)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # folds that separate do not converge, and still predict
        predicted = load("sklearn.model_selection").cross_val_predict(
            estimator(), x, y, cv=folds(y, seed)
        )
    return judge(y, predicted)


def cross_validate_selection(
    x: np.ndarray, y: np.ndarray, names: Sequence[str], most: int | None = None, seed: int = 0
) -> Validation:
    """The same with the terms chosen anew in each fold: what new people would give."""
    predicted = np.zeros(len(y), int)
    for train, test in folds(y, seed):
        chosen = [names.index(n) for n in select(x[train], y[train], names, most)]
        if not chosen:
            predicted[test] = int(y[train].mean() > 0.5)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = estimator().fit(x[train][:, chosen], y[train])
        predicted[test] = model.predict(x[test][:, chosen])
    return judge(y, predicted)


# ------------------------------------------------------------------------------------- models


@dataclass(frozen=True)
class Model:
    """A model as the paper reports it."""

    name: str
    fit: Fit
    validation: Validation
    honest: Validation  # terms chosen inside each fold
    candidates: int


def choice_model(rows: Rows, question: str) -> Model:
    """Which level of a pair was chosen: differences, interactions, experience."""
    return _model(question, *_choices(rows, question))


def choice_fit(rows: Rows, question: str) -> Fit:
    """The same model without the question how well it predicts, which takes ten times as long."""
    return _selected(*_choices(rows, question))[0]


def _choices(rows: Rows, question: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Columns, answers, and the names of the columns."""
    rows = [row for row in rows if row["experience"]]
    y = np.array([row[question] == "A" for row in rows], int)
    _both(y, question)
    names = [t for t in terms.TERMS if _varies(terms.design(rows, [t]))]
    return terms.design(rows, names), y, names


@dataclass(frozen=True)
class Influence:
    """A participant without whom a term's estimate would be quite another one."""

    term: str
    participant: str
    odds: float  # by Firth, with everybody
    without: float  # and without this one


def influences(rows: Rows, question: str, names: Sequence[str]) -> list[Influence]:
    """For each term the one participant who moves it most, if that is by more than its error.

    People are left out whole, since one person's answers belong together.
    """
    if not names:  # a model of the intercept alone
        return []
    x = np.column_stack([np.ones(len(rows)), terms.design(rows, names)])
    y = np.array([row[question] == "A" for row in rows], float)
    who = np.array([row.get("participant", "") for row in rows])
    everybody = firth(x, y)
    p = 1.0 / (1.0 + np.exp(-(x @ everybody)))
    errors = np.sqrt(np.diag(np.linalg.pinv((x * (p * (1.0 - p))[:, None]).T @ x)))
    people = sorted(set(who))
    moved = np.array([firth(x[who != one], y[who != one]) for one in people]) - everybody
    found = []
    for j, name in enumerate(names, 1):
        at = int(np.argmax(abs(moved[:, j])))
        if len(people) > 2 and abs(moved[at, j]) > errors[j]:
            before, after = np.exp([everybody[j], everybody[j] + moved[at, j]])
            found.append(Influence(name, str(people[at]), float(before), float(after)))
    return found


def experience_model(plays: Rows) -> Model:
    """Beginner or more, from how a level was played."""
    plays = [play for play in plays if play["experience"]]
    y = np.array([experience_code(play["experience"]) > 0 for play in plays], int)
    _both(y, "experience")
    names = [f.name for f in FEATURES]
    x = np.array([[float(play[name]) for name in names] for play in plays])
    chosen = _informative(x, y, names)
    x = x[:, [names.index(n) for n in chosen]]
    return _model("experience", x, y, chosen, most=8)


def _both(y: np.ndarray, what: str) -> None:
    if len(y) < 8 or len(set(y.tolist())) < 2:
        raise StudyError(
            f"{what}: a model needs at least 8 rows and both answers; there are {len(y)} rows"
        )


def _varies(column: np.ndarray) -> bool:
    return bool(np.ptp(column) > 0)


def _informative(x: np.ndarray, y: np.ndarray, names: Sequence[str]) -> list[str]:
    """The features with the most information about the answer, without copies of each other."""
    selection = load("sklearn.feature_selection")
    varied = [i for i in range(x.shape[1]) if _varies(x[:, i])]
    gain = selection.mutual_info_classif(x[:, varied], y, random_state=0)
    kept: list[int] = []
    for _, i in sorted(zip(-gain, varied, strict=True)):
        alike = (abs(np.corrcoef(x[:, i], x[:, k])[0, 1]) > 0.98 for k in kept)
        if not any(alike):
            kept.append(i)
    return [names[i] for i in kept[:SCREENED]]


def _model(
    name: str, x: np.ndarray, y: np.ndarray, names: list[str], most: int | None = None
) -> Model:
    found, part = _selected(x, y, names, most)
    return Model(
        name,
        found,
        cross_validate(part, y),
        cross_validate_selection(x, y, names, most),
        len(names),
    )


def _selected(
    x: np.ndarray, y: np.ndarray, names: list[str], most: int | None = None
) -> tuple[Fit, np.ndarray]:
    """The fit of the best terms, and their columns."""
    chosen = select(x, y, names, most)
    part = x[:, [names.index(n) for n in chosen]]
    return fit(part, y, chosen), part


# -------------------------------------------------------------------------------------- tests


@dataclass(frozen=True)
class Test:
    """A statistical test."""

    name: str
    statistic: float
    p: float
    table: list[list[int]] = field(default_factory=list)


def order_tests(rows: Rows) -> list[Test]:
    """Is the first level of a pair chosen more, overall or for some variants?"""
    stats = load("scipy.stats")
    found = []
    for question in QUESTIONS:
        first = sum(row[question] == "A" for row in rows)
        p = stats.binomtest(first, len(rows)).pvalue
        name = f"{question}: first against second level (binomial)"
        found.append(Test(name, first / len(rows), float(p), [[first, len(rows) - first]]))
        table = [chosen for chosen in chosen_by_order(rows, question) if sum(chosen)]
        kept = np.array(table)
        if len(kept) > 1 and kept.sum(axis=0).all():
            chi = stats.chi2_contingency(kept, correction=False)
            name = f"{question}: order by variant (chi-square)"
            found.append(Test(name, float(chi.statistic), float(chi.pvalue), table))
    return found


def chosen_by_order(rows: Rows, question: str) -> list[list[int]]:
    """[variant][as A, as B]: how often it was chosen (Figures 3 and 4)."""
    found = [[0, 0] for _ in VARIANTS]
    for row in rows:
        side = row[question]
        found[row[f"variant_{side.lower()}"] - 1]["AB".index(side)] += 1
    return found


def independence_tests(rows: Rows) -> list[Test]:
    """Pearson's chi-square over the levels played: a parameter's setting against being chosen."""
    stats = load("scipy.stats")
    found = []
    for question in QUESTIONS:
        for i, name in enumerate(PARAMETERS):
            table = np.zeros((2, 2), int)
            for row in rows:
                for side in "AB":
                    high = VARIANTS[row[f"variant_{side.lower()}"] - 1][i]
                    table[high, int(row[question] == side)] += 1
            if table.sum(axis=1).all():
                chi = stats.chi2_contingency(table, correction=False)
                title = f"{question}: {name}"
                found.append(Test(title, float(chi.statistic), float(chi.pvalue), table.tolist()))
    return found
