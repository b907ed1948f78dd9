"""Requests to the study server and the studio that no browser of ours would send."""

import asyncio
import json
import random
from collections import Counter
from urllib.parse import quote

NUMBERS = [
    *("0", "1", "-1", "2", "99", "1e5", "1e999", "-1e999", "nan", "NaN", "Infinity", "0.5", "1.0"),
    *(str(2**31), str(2**63 - 1), str(2**63), str(-(2**63) - 1), "1" * 25, "9" * 5000, "０", "²"),
    *("", " 1", "0x10", "1_0", "true", "null", '"1"', "[]", "{}", '"\\ud800"', '"\\u0000"'),
]
NAMES = ["nobody", "\0", "%00", "..", "a" * 3000, "\ud7ff", "é", "' OR 1=1 --", "-1", "\n", "😀"]


def value(dice, depth=0):
    """JSON text of any kind, often not quite JSON."""
    kind = dice.randrange(8)
    if kind < 4 or depth > 3:
        return dice.choice(NUMBERS)
    if kind < 6:
        return "[" + ",".join(value(dice, depth + 1) for _ in range(dice.randrange(4))) + "]"
    keys = dice.sample(["first", "runs", "who", "\\ud800", ""], dice.randrange(3))
    return "{" + ",".join(f'"{key}":{value(dice, depth + 1)}' for key in keys) + "}"


def body(dice):
    """The body of a batch of keys, or what looks like one."""
    kind = dice.randrange(10)
    if kind == 0:
        return bytes(dice.randrange(256) for _ in range(dice.randrange(60)))
    if kind == 1:
        return b"[" * dice.choice([10, 1000, 100_000])
    if kind == 2:
        return value(dice).encode("utf-8", "surrogatepass")
    runs = [f"[{dice.choice(NUMBERS)},{dice.choice(NUMBERS)}]" for _ in range(dice.randrange(4))]
    listed = value(dice) if dice.randrange(3) == 0 else f"[{','.join(runs)}]"
    first = dice.choice(NUMBERS) if dice.randrange(2) else "0"
    return f'{{"first":{first},"runs":{listed}}}'.encode("utf-8", "surrogatepass")


def request(dice, who):
    """(method, path, body) of one request."""
    name = who if dice.randrange(3) else dice.choice(NAMES)
    parts = [quote(name, safe="%")]
    parts += [quote(dice.choice(["1", *NUMBERS])) for _ in range(dice.randrange(4))]
    path = "/api/p/" + "/".join(parts)
    method = dice.choice(["GET", "POST", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
    return method, path, body(dice)


def studio_request(dice, kinds):
    """(method, path, body) of one request to the studio's interface."""
    kind = dice.choice(kinds) if dice.randrange(3) else dice.choice(NAMES)
    job = dice.choice(["nobody", "a-1", *NAMES])
    rest = ["", "/cancel", "/rating", "/result", "/export/text", "/files/a.txt", "/files/.."]
    method = dice.choice(["GET", "GET", "GET", "POST", "DELETE", "HEAD"])
    path = f"/jobs/{quote(job, safe='%')}{dice.choice(rest) if method != 'DELETE' else ''}"
    if method == "GET" and dice.randrange(3) == 0:
        path = dice.choice(["/kinds", "/jobs"])
    if dice.randrange(2):
        method, path = "POST", f"/jobs/{quote(kind, safe='%')}"
    names = ["after", "wait", "rating", "most", "kind"]
    if dice.randrange(3) == 0:
        path += f"?{dice.choice(names)}={quote(dice.choice([*NUMBERS, *NAMES]))}"
    return method, path, studio_body(dice)


def studio_body(dice):
    """Settings of a job, or what looks like some."""
    if dice.randrange(4) == 0:
        return body(dice)
    names = ["seed", "simulations", "name", "size", "setup", "text", "rows", "domain", "levels"]
    chosen = dice.sample(names, dice.randrange(1, 5))
    text = "{" + ",".join(f'"{name}":{value(dice)}' for name in chosen) + "}"
    return text.encode("utf-8", "surrogatepass")


async def ask(app, method, path, chunks, headers=()):
    """The status and the body of the answer to one request, without a server between."""
    from urllib.parse import unquote

    waiting = list(chunks)
    said = []

    async def receive():
        if not waiting:
            return {"type": "http.disconnect"}
        part = waiting.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(waiting)}

    async def send(message):
        said.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path.partition("?")[0]),
        "raw_path": path.partition("?")[0].encode(),
        "query_string": path.partition("?")[2].encode(),
        "root_path": "",
        "headers": [(b"content-type", b"application/json"), *headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    await app(scope, receive, send)
    return said[0]["status"], b"".join(m.get("body", b"") for m in said[1:]), waiting


def fuzz(app, who, count, seed=0, request=request, longest=200):
    """Send ``count`` requests: how often each status was answered, and what was wrong."""
    dice = random.Random(seed)
    seen: Counter = Counter()
    wrong = []

    async def all_of_them():
        for _ in range(count):
            method, path, data = request(dice, who)
            try:
                status, text, _ = await ask(app, method, path, [data])
            except Exception as error:  # what a server turns into a 500
                status, text = 500, repr(error).encode()
            seen[status] += 1
            if status >= 500 or (status >= 400 and not one_sentence(text, method, longest)):
                wrong.append((method, path[:200], data[:200], status, text[:300]))

    asyncio.run(all_of_them())
    return seen, wrong


def one_sentence(text, method, longest):
    """Whether a refusal is one sentence in JSON, and short."""
    if method == "HEAD":
        return True
    try:
        detail = json.loads(text)["detail"]
    except (ValueError, KeyError, TypeError):
        return False
    return isinstance(detail, str) and 0 < len(detail) < longest and "\n" not in detail
