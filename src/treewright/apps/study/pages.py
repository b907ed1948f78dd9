"""The pages of a player study: consent, levels, questions, experience, thanks, delete.

What a page shows follows from the store alone, so a reload is always safe.
"""

from html import escape
from pathlib import Path
from typing import Any

from treewright.apps.levels.player_model import EXPERIENCE
from treewright.apps.study import experimenter
from treewright.apps.study.addresses import ENROLMENTS, add_addresses
from treewright.apps.study.errors import StudyError
from treewright.apps.study.limits import Limit
from treewright.apps.study.protocol import ATTEMPTS, PAIRS
from treewright.apps.study.store import Step, Store
from treewright.workshop.web import address, html, nicegui, page_frame

CONSENT = f"""
<p>You will play eight short levels of a jump-and-run game, in {PAIRS} pairs. After each pair we ask
which of the two was more challenging, and which you would rather play again. At the end we ask how
much experience you have with such games. It takes about twenty minutes.</p>
<ul>
<li>Taking part is voluntary. You may stop at any time by closing the page.</li>
<li>We store the keys that you press in the game, your answers, and the time; no name, no address,
no e-mail.</li>
<li>You get a random number. With it you can come back to go on, and you can delete everything that
is stored about you at any time, with one click.</li>
<li>The data are used for research on level generation, and may be published in this anonymous
form.</li>
</ul>
"""
QUESTIONS = {
    "challenge": "Which level was more challenging?",
    "preference": "Which level would you rather play again?",
}
DESCRIPTIONS = {
    "beginner": "I have hardly played such games",
    "intermediate": "I have played some",
    "expert": "I have played a lot and am good at it",
}
STAGE = """
<div class="stage" id="stage" data-url="{url}">
  <canvas data-part="canvas" aria-label="the game"></canvas>
  <div data-part="status"></div>
  <div data-part="message"><div data-part="title">Loading …</div><div data-part="hint"></div>
  <button class="go" data-part="restart" hidden>Start again</button></div>
</div>
<p class="turn quiet">Turn your phone: the game is larger in landscape.</p>
<div class="pad" data-part="pad" aria-label="touch controls">
  <span><button data-key="left" aria-label="left">◀</button>
  <button data-key="duck" aria-label="duck">▼</button>
  <button data-key="right" aria-label="right">▶</button></span>
  <span><button data-key="run" aria-pressed="false">run</button>
  <button data-key="jump" aria-label="jump">jump</button></span>
</div>
<div class="keys quiet"><span class="typed"><kbd>←</kbd> <kbd>→</kbd> walk</span>
<span class="typed"><kbd>Shift</kbd> or <kbd>X</kbd> run</span>
<span class="typed"><kbd>Space</kbd> or <kbd>↑</kbd> jump</span>
<span class="typed"><kbd>↓</kbd> duck</span><span class="typed"><kbd>Esc</kbd> pause</span>
<span class="typed"><kbd>R</kbd> then start again</span>
<button class="sound" data-part="sound" aria-pressed="false">Sound: off</button></div>
"""
MOUNT = """<script type="module">
import { mount } from "PLAY";
const find = () => {
  const root = document.getElementById("level");
  if (root) mount(root); else requestAnimationFrame(find);
};
find();
</script>"""


def mount_game() -> None:
    """Put the game into the stage of the page that is being made."""
    nicegui().ui.add_body_html(MOUNT.replace("PLAY", address("/study/play.mjs")))


def build(store: Store) -> None:
    """Register the pages, and the addresses that the game talks to."""
    gui = nicegui()
    ui, app = gui.ui, gui.app
    app.add_static_files("/study", Path(__file__).parent / "static", max_cache_age=0)
    title = str(store.about.get("title", "A study of levels"))
    enrolments = Limit(*ENROLMENTS)

    @ui.page("/")
    def consent() -> None:
        with page_frame(title):
            html(f"<h1>{escape(title)}</h1>{_consent(store)}{_contact(store)}")
            agree = ui.checkbox("I am at least 18, I have read this, and I agree to take part.")

            def begin() -> None:
                if not enrolments.allows(""):
                    ui.notify("Many people begin just now. Please try again in a moment.")
                    return
                ui.navigate.to(f"/p/{store.enrol()}")

            button = ui.button("Begin", on_click=begin).props("unelevated no-caps color=green-8")
            button.bind_enabled_from(agree, "value")

    @ui.page("/p/{who}")
    def session(who: str) -> None:
        try:
            step = store.next_step(who)
        except StudyError as error:
            return lost(str(error))
        with page_frame(title):
            _progress(step)
            if step.kind == "play":
                _play(who, step)
            elif step.kind == "ask":
                _ask(ui, store, who, step)
            elif step.kind == "experience":
                _experience(ui, store, who)
            else:
                html("<h1>Thank you!</h1><p>Everything is stored. You may close this page now.</p>")
            html(
                f'<p class="quiet foot">Your number is <code>{escape(who)}</code>. '
                f'<a href="{address("/p/" + escape(who))}/delete">Delete my data</a></p>'
            )
        return None

    @ui.page("/p/{who}/delete")
    def delete(who: str) -> None:
        with page_frame(title):
            html(
                "<h1>Delete my data?</h1><p>Every key, answer and date of this session will be "
                "deleted, for good. The session ends.</p>"
            )

            def forget() -> None:
                try:
                    store.forget(who)
                except StudyError as error:
                    ui.notify(str(error))
                    return
                ui.navigate.to("/deleted")

            with ui.row():
                ui.button("Delete everything", on_click=forget).props(
                    "unelevated no-caps color=red-8"
                )
                ui.button("No, go back", on_click=lambda: ui.navigate.to(f"/p/{who}")).props(
                    "flat no-caps color=green-9"
                )

    @ui.page("/deleted")
    def deleted() -> None:
        with page_frame(title):
            html("<h1>Deleted</h1><p>Nothing of your session is left here. Thank you.</p>")

    def lost(why: str) -> None:
        with page_frame(title):
            html(
                f"<h1>Not found</h1><p>{escape(why.capitalize())}.</p>"
                f'<p><a href="{address("/")}">Begin</a></p>'
            )

    experimenter.build(store)
    add_addresses(app, store)


def _consent(store: Store) -> str:
    """The study's own text, paragraph by paragraph, or ours."""
    own = str(store.about.get("consent", ""))
    return "".join(f"<p>{escape(p)}</p>" for p in own.split("\n\n") if p.strip()) or CONSENT


def _contact(store: Store) -> str:
    contact = str(store.about.get("contact", ""))
    return f'<p class="quiet">Questions: {escape(contact)}</p>' if contact else ""


def _progress(step: Step) -> None:
    """Four pairs and the last question, as a bar."""
    now = step.pair or PAIRS + (1 if step.kind == "experience" else 2)
    marks = ["done" if i < now else "now" if i == now else "" for i in range(1, PAIRS + 2)]
    html('<div class="steps">' + "".join(f'<span class="{m}"></span>' for m in marks) + "</div>")


def _play(who: str, step: Step) -> None:
    url = address(f"/api/p/{escape(who)}/{step.slot}")
    html(
        f'<div id="level" data-url="{url}"><h1>Pair {step.pair} of {PAIRS}: level {step.side}</h1>'
        f'<p class="quiet">You have {ATTEMPTS} attempts. The flag at the right end is the goal.</p>'
        f"{STAGE.format(url=url)}"
        '<p><button class="go" data-part="continue" hidden>Continue</button></p></div>'
    )
    mount_game()


def _ask(ui: Any, store: Store, who: str, step: Step) -> None:
    html(
        f"<h1>Pair {step.pair} of {PAIRS}: your opinion</h1><p>Level A was the first, level B the "
        "second that you have just played.</p>"
    )
    chosen = {}
    for name, question in QUESTIONS.items():
        html(f'<div class="question">{question}</div>')
        chosen[name] = ui.radio({"A": "Level A", "B": "Level B"}).props("inline color=green-8")
        chosen[name].mark(name)

    def send() -> None:
        if not all(radio.value for radio in chosen.values()):
            ui.notify("Please answer both questions.")
            return
        _stored(ui, lambda: store.answer(who, step.pair, **{k: r.value for k, r in chosen.items()}))

    ui.button("Continue", on_click=send).props("unelevated no-caps color=green-8")


def _experience(ui: Any, store: Store, who: str) -> None:
    html(
        "<h1>One last question</h1>"
        '<div class="question">How much experience do you have with platform games?</div>'
    )
    words = {e: f"{e.capitalize()}: {DESCRIPTIONS[e]}" for e in EXPERIENCE}
    radio = ui.radio(words).props("color=green-8")

    def send() -> None:
        if not radio.value:
            ui.notify("Please choose one.")
            return
        _stored(ui, lambda: store.describe_experience(who, radio.value))

    ui.button("Finish", on_click=send).props("unelevated no-caps color=green-8")


def _stored(ui: Any, work: Any) -> None:
    """Store an answer and show what comes next; an answer given twice is no harm."""
    try:
        work()
    except StudyError as error:
        ui.notify(str(error))
    ui.navigate.reload()
