// A level in the browser: clock, picture, and the recorded keys on their way to the server.
//
// The game runs at 30 steps a second, whatever the screen does, and is drawn at the screen's own rate
// between the steps.  Only the keys are sent: the server plays them again to learn what happened.
import { begin, constants as c, tick } from "./engine.mjs";
import { draw, dress, places } from "./art.mjs";
import { Inputs } from "./inputs.mjs";
import { Sound } from "./sound.mjs";

const STEP = 1000 / 30;
const WIDTH = 384;
const BATCH = 30; // ticks between two messages to the server
/** Runs of keys that are not stored yet: kept in the browser too until the server has them. */
class Tape {
  constructor(url, attempt, first, free) {
    this.url = `${url}/${attempt}`;
    this.free = free; // played for fun: nobody wants the keys
    this.first = first;
    this.runs = [];
    this.sending = null;
  }

  get ticks() {
    return this.runs.reduce((sum, [, n]) => sum + n, 0);
  }

  add(keys) {
    const last = this.runs.at(-1);
    if (last && last[0] === keys) last[1] += 1;
    else this.runs.push([keys, 1]);
  }

  keep() {
    if (this.free) return;
    try {
      localStorage.setItem(this.url, JSON.stringify({ first: this.first, runs: this.runs }));
    } catch { /* storage is full or forbidden: the server's copy is enough */ }
  }

  kept() {
    if (this.free) return null;
    try {
      return JSON.parse(localStorage.getItem(this.url));
    } catch {
      return null;
    }
  }

  /** Send what there is; on failure it stays and goes with the next message. */
  async send() {
    if (this.free) {
      this.drop(this.ticks);
      return {};
    }
    if (this.sending) return this.sending;
    const runs = this.runs.map((run) => run.slice());
    const ticks = this.ticks;
    if (!ticks) return null;
    this.sending = (async () => {
      try {
        const answer = await fetch(this.url, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ first: this.first, runs }),
        });
        if (answer.status === 409) return { refused: (await answer.json()).detail };
        if (!answer.ok) return null;
        const found = await answer.json();
        this.drop(ticks);
        this.keep();
        return found;
      } catch {
        return null;
      } finally {
        this.sending = null;
      }
    })();
    return this.sending;
  }

  drop(ticks) {
    this.first += ticks;
    while (ticks > 0 && this.runs.length) {
      const part = Math.min(ticks, this.runs[0][1]);
      this.runs[0][1] -= part;
      ticks -= part;
      if (!this.runs[0][1]) this.runs.shift();
    }
  }

  beacon() {
    this.keep();
    if (this.runs.length && !this.free) {
      const body = JSON.stringify({ first: this.first, runs: this.runs });
      navigator.sendBeacon(this.url, new Blob([body], { type: "application/json" }));
    }
  }
}

export class Player {
  constructor(root, say, data, url) {
    const canvas = root.querySelector("[data-part=canvas]");
    Object.assign(this, { canvas, say, data, url });
    this.script = null; // recorded keys, played instead of the keyboard: see drive()
    this.stepsPerFrame = 0;
    if (data.theme) dress(data.theme);
    this.height = data.world.rows * c.TILE;
    canvas.width = WIDTH * 2;
    canvas.height = this.height * 2;
    this.picture = canvas.getContext("2d");
    this.picture.scale(2, 2);
    const wake = () => this.phase === "waiting" && this.start();
    this.inputs = new Inputs(root, wake, () => this.toggle(), () => this.restart());
    this.again = root.querySelector("[data-part=restart]");
    this.sound = new Sound(root.querySelector("[data-part=sound]"));
    this.attempt = Math.max(data.attempts.length, 1);
    this.open(data.attempts[this.attempt - 1] ?? []);
    this.listen();
    requestAnimationFrame((now) => this.frame(now));
  }

  /** Begin an attempt, or go on with one that is stored in part. */
  open(runs) {
    this.game = begin(this.data.world);
    for (const [keys, n] of runs) for (let i = 0; i < n; i++) this.step(keys);
    const stored = this.game.status[c.TICK];
    this.tape = new Tape(this.url, this.attempt, stored, this.data.free);
    const kept = this.tape.kept(); // a message that never arrived
    if (kept && kept.first <= stored) {
      let skip = stored - kept.first;
      for (const [keys, n] of kept.runs) {
        for (let i = 0; i < n; i++) {
          if (skip > 0) skip -= 1;
          else if (this.step(keys)) this.tape.add(keys);
        }
      }
    }
    this.before = places(this.game);
    this.owed = 0;
    this.phase = "waiting";
    if (this.game.status[c.OUTCOME] !== c.PLAYING) this.over();
    else this.tell(`Attempt ${this.attempt} of ${this.data.most}`, "Press any key, or tap, to start");
  }

  /** One step of the game, if it is not over. */
  step(keys) {
    if (this.game.status[c.OUTCOME] !== c.PLAYING) return false;
    tick(this.game, keys);
    return true;
  }

  listen() {
    window.addEventListener("blur", () => this.pause());
    document.addEventListener("visibilitychange", () => document.hidden && this.pause());
    window.addEventListener("pagehide", () => this.tape.beacon());
    this.again?.addEventListener("pointerdown", (event) => event.stopPropagation()); // no tap to go on
    this.again?.addEventListener("click", () => this.restart());
    this.say.box.addEventListener("pointerdown", () => this.phase === "waiting" && this.start());
  }

  start() {
    this.phase = "playing";
    this.tell("", "");
  }

  /** Escape, or a gamepad's start button. */
  toggle() {
    if (this.phase === "waiting") this.start();
    else this.pause();
  }

  pause() {
    this.inputs.release();
    if (this.phase === "playing" && !this.script) {
      this.phase = "waiting";
      this.tell("Paused", "Press any key, or tap, to go on");
      if (this.again) this.again.hidden = false;
    }
  }

  /** While paused: give this attempt up, which is recorded as any other end of it. */
  restart() {
    if (this.phase !== "waiting" || !this.game.status[c.TICK]) return false;
    this.step(c.GIVE_UP);
    this.tape.add(c.GIVE_UP);
    this.over();
    return true;
  }

  /** Recorded keys instead of the keyboard, several steps a frame: for replays and tests. */
  drive(runs, stepsPerFrame = 1) {
    this.script = runs.flatMap(([keys, n]) => Array(n).fill(keys));
    this.stepsPerFrame = stepsPerFrame;
    this.start();
  }

  keys() {
    return this.script ? this.script.shift() ?? 0 : this.inputs.held;
  }

  frame(now) {
    const passed = Math.min(now - (this.last ?? now), 5 * STEP);
    this.last = now;
    if (this.phase === "waiting") this.inputs.gamepad(); // a button may start it
    if (this.phase === "playing") {
      this.owed = this.script ? this.stepsPerFrame * STEP : this.owed + passed;
      while (this.owed >= STEP && this.phase === "playing") {
        this.owed -= STEP;
        this.before = places(this.game);
        const keys = this.keys();
        const before = this.game.events.length;
        this.step(keys);
        this.sound.play(this.game.events.slice(before));
        this.tape.add(keys);
        if (this.game.status[c.TICK] % BATCH === 0) this.tape.keep();
        if (this.tape.ticks >= BATCH) this.tape.send().then((answer) => this.heed(answer));
        if (this.game.status[c.OUTCOME] !== c.PLAYING) this.over();
      }
    }
    const share = this.phase === "playing" ? Math.min(this.owed / STEP, 1) : 1;
    draw(this.picture, this.game, this.before, share, WIDTH, this.height);
    this.show();
    requestAnimationFrame((next) => this.frame(next));
  }

  /** Another tab, or a reload that overtook a message: start from what the server has. */
  heed(answer) {
    if (answer?.refused) {
      localStorage.removeItem(this.tape.url);
      location.reload();
    }
  }

  /** The attempt has ended: send the rest, as often as it takes, then go on. */
  async over() {
    this.phase = "over";
    const won = this.game.status[c.OUTCOME] === c.WON;
    const again = this.game.status[c.CAUSE] === c.BY_RESTART;
    this.tell(won ? "You made it!" : again ? "Once more" : "Ouch!", "");
    const { events, status, body } = this.game;
    const detail = { url: this.url, attempt: this.attempt, events, ticks: status[c.TICK], won, x: body[c.X] };
    document.dispatchEvent(new CustomEvent("attempt-over", { detail }));
    this.tape.keep();
    let answer = null;
    while (this.tape.ticks || this.tape.sending) {
      answer = await this.tape.send();
      if (answer?.refused) return this.heed(answer);
      if (!answer) {
        this.tell(won ? "You made it!" : "Ouch!", "Waiting for the server …");
        await new Promise((done) => setTimeout(done, 500));
      }
    }
    localStorage.removeItem(this.tape.url);
    await new Promise((done) => setTimeout(done, this.script ? 0 : 900));
    if (won || this.attempt === this.data.most) return this.done(won);
    this.attempt += 1;
    this.script = null;
    this.open([]);
  }

  done(won) {
    this.phase = "done";
    this.inputs.over = true;
    this.tell(won ? "You made it!" : "That was your last attempt", "");
    document.dispatchEvent(new CustomEvent("level-done"));
  }

  tell(title, hint) {
    this.say.title.textContent = title;
    this.say.hint.textContent = hint;
    this.say.box.hidden = !title;
    if (this.again) this.again.hidden = true;
  }

  show() {
    const { status } = this.game;
    const seconds = Math.max(0, Math.ceil((c.LIMIT - status[c.TICK]) / 30));
    const lives = "❦".repeat(this.data.most - this.attempt + 1);
    this.say.status.textContent = `${lives}   coins ${status[c.COINS]}   time ${seconds}`;
  }
}

/** Find the page's canvas, load the level and play. */
export async function mount(root) {
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const url = root.dataset.url;
  const say = { box: part("message"), title: part("title"), hint: part("hint"), status: part("status") };
  document.addEventListener("level-done", () => { part("continue").hidden = false; part("continue").focus(); });
  part("continue").addEventListener("click", () => location.reload());
  const data = await (await fetch(url)).json();
  window.treewrightGame = new Player(root, say, data, url);
}
