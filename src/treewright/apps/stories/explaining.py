"""Why an action could not happen at some point of a story, or how it would be rated there."""

from typing import TYPE_CHECKING, Any

from treewright.apps.stories.model import Event, Expr
from treewright.apps.stories.setup import Setup
from treewright.apps.stories.story import replay
from treewright.apps.stories.world import Scope, World, covers, ground_text, scope_of

if TYPE_CHECKING:  # the planner takes a while to import, and few stories have motives
    from treewright.apps.stories.planning.mind import Reasons


def explain(setup: Setup, action: str, after: list[str]) -> dict[str, Any]:
    """What holds and what does not, of all that an action needs, after some actions."""
    setup.source.change("action", [action])  # what is wrong with it is no fault of the file
    setup.source.change("after", after)
    event = setup.ground(action, "action", 0)
    before = [setup.ground(text, "after", i) for i, text in enumerate(after)]
    replay(setup, before)  # refuses what can't happen
    world = World.start(setup)
    for done in before:
        world.do(done, world.believed(done)[0])
    scope = scope_of(event)
    needs = [
        {"needs": _shown(world, part, scope), "holds": bool(world.value(part, scope))}
        for part in _parts(setup.library.action(event.action).precondition)
    ]
    believability, rule, factors = world.believed(event)
    return {
        "action": ground_text(setup, event),
        "after": [ground_text(setup, e) for e in before],
        "possible": all(n["holds"] for n in needs) and believability > 0.0,
        "needs": needs,
        "believability": believability,
        "rule": rule.text,
        "factors": [f.text for f in factors],
        "forbidden": any(covers(p, event) for p in setup.steering.forbidden),
        "reasons": reasons_of(setup, world.reasons(event)),
    }


def reasons_of(setup: Setup, reasons: "Reasons | None") -> dict[str, list[str] | None]:
    """What each who consents to an action has in mind; None of who has no reason for it."""
    if reasons is None or setup.library.motives is None:
        return {}
    return {
        setup.entity(setup.library.motives.kind, who).id: None
        if plan is None
        else [ground_text(setup, e) for e in plan]
        for who, plan in reasons.plans.items()
    }


def as_text(data: dict[str, Any]) -> str:
    """The same in lines."""
    where = f"after {'; '.join(data['after'])}" if data["after"] else "at the start"
    if data["possible"]:
        first = f"{data['action']} can happen {where}"
    elif data["forbidden"]:
        first = f"{data['action']} can't happen: the set-up forbids it"
    elif all(n["holds"] for n in data["needs"]):
        first = f"{data['action']} can't happen {where}: nobody would believe it"
    else:
        first = f"{data['action']} can't happen {where}"
    lines = [first]
    lines += [f"  {'yes' if n['holds'] else 'NO '}  {n['needs']}" for n in data["needs"]]
    for who, plan in data["reasons"].items():
        lines.append(
            f"  {who} has no reason for it"
            if plan is None
            else f"  {who} has in mind: {', then '.join(plan)}"
        )
    return "\n".join([*lines, f"  believability {data['believability']:g}, by: {data['rule']}"])


def _parts(expr: Expr) -> list[Expr]:
    return [p for a in expr.args for p in _parts(a)] if expr.op == "and" else [expr]


def _shown(world: World, expr: Expr, scope: Scope) -> str:
    """An expression with names in the place of parameters, and the values it has now."""
    text = _text(world.setup, expr, scope)
    now = []
    for part in expr.walk():
        if part.op == "attribute" and not part.variables - scope.keys():
            value = _value(world.setup, part, world.value(part, scope))
            now.append(f"{_text(world.setup, part, scope)} is {value}")
    return f"{text} ({', '.join(dict.fromkeys(now))})" if now else text


def _text(setup: Setup, expr: Expr, scope: Scope) -> str:
    parts = [_text(setup, a, scope) for a in expr.args]
    if expr.op == "var":
        known = expr.value in scope and expr.type.kind == "entity"
        return setup.entity(expr.type.name, scope[expr.value]).id if known else str(expr.value)
    if expr.op == "const":
        return _value(setup, expr, expr.value)
    if expr.op == "attribute":
        at = f"[{parts[1]}]" if len(parts) > 1 else ""
        return f"{parts[0]}.{expr.value.name}{at}"
    if expr.over:
        return f"{expr.op} {expr.value} of {expr.over} with {parts[0]}"
    if expr.op in ("times", "when"):
        pattern: Event = expr.value
        return f"{expr.op} of {ground_text(setup, pattern)}"
    if len(parts) == 1:
        return f"{expr.op} {parts[0]}"
    return f"({f' {expr.op} '.join(parts)})" if expr.op == "or" else f" {expr.op} ".join(parts)


def _value(setup: Setup, expr: Expr, value: Any) -> str:
    kind = expr.type if expr.op != "attribute" else expr.value.type
    if kind.kind == "entity":
        return "none" if value < 0 else setup.entity(kind.name, value).id
    if kind.kind == "enum":
        return setup.library.known.enums[kind.name][int(value)]
    if kind.kind == "bool":
        return "true" if value else "false"
    return "none" if kind.kind == "none" else str(value)
