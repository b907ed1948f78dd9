// Keyboard, touch and gamepad: each says which of the game's keys it holds.
import { constants as c } from "./engine.mjs";

const KEYS = {
  ArrowLeft: c.LEFT, KeyA: c.LEFT, ArrowRight: c.RIGHT, KeyD: c.RIGHT, ArrowDown: c.DUCK, KeyS: c.DUCK,
  ShiftLeft: c.SPEED, ShiftRight: c.SPEED, KeyX: c.SPEED,
  Space: c.JUMP, ArrowUp: c.JUMP, KeyW: c.JUMP, KeyZ: c.JUMP,
};
const BUTTONS = { left: c.LEFT, right: c.RIGHT, duck: c.DUCK, jump: c.JUMP };
const PAD_BUTTONS = { 0: c.JUMP, 1: c.JUMP, 2: c.SPEED, 3: c.SPEED, 5: c.SPEED, 7: c.SPEED, 13: c.DUCK, 14: c.LEFT, 15: c.RIGHT };
const [PAD_SELECT, PAD_START] = [8, 9];
const TILT = 0.4; // how far a stick must be pushed

export class Inputs {
  /**
   * `wake` is called by any key, tap or button; `pause` by Escape and by a gamepad's start button;
   * `again` by R and by its select button, and says whether it starts again.
   */
  constructor(root, wake, pause, again) {
    Object.assign(this, { root, wake, pause, again, keyboard: 0, running: 0, padBefore: 0 });
    this.over = false; // the level is done: keys belong to the page again, as Space to a button
    this.fingers = new Map(); // pointer -> key
    this.keys();
    this.touch();
  }

  get held() {
    let held = this.keyboard | this.running;
    for (const key of this.fingers.values()) held |= key;
    return held | this.gamepad();
  }

  release() {
    this.keyboard = 0;
    this.fingers.clear();
  }

  keys() {
    const set = (event, down) => {
      const key = KEYS[event.code];
      if (key === undefined || this.over) return;
      event.preventDefault();
      this.keyboard = down ? this.keyboard | key : this.keyboard & ~key;
    };
    window.addEventListener("keydown", (event) => {
      if (this.over) return undefined;
      if (event.repeat) return KEYS[event.code] === undefined ? undefined : event.preventDefault();
      if (event.code === "Escape") return this.pause();
      if (event.code === "KeyR" && !event.ctrlKey && !event.metaKey && this.again()) return undefined;
      set(event, true);
      if (!event.altKey && !event.ctrlKey && !event.metaKey) this.wake();
    });
    window.addEventListener("keyup", (event) => set(event, false));
  }

  /** A finger holds the button that it is on, also after sliding there from another one. */
  touch() {
    const pad = this.root.querySelector("[data-part=pad]");
    if (!pad) return;
    const under = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-key]");
    const hold = (event) => {
      const key = BUTTONS[under(event)?.dataset.key];
      if (key) this.fingers.set(event.pointerId, key);
      else this.fingers.delete(event.pointerId);
      this.light(pad);
    };
    pad.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      if (event.target.hasPointerCapture(event.pointerId)) event.target.releasePointerCapture(event.pointerId); // so that it can slide to another button
      if (under(event)?.dataset.key === "run") {
        this.running ^= c.SPEED;
        under(event).setAttribute("aria-pressed", String(!!this.running));
      } else hold(event);
      this.wake();
    });
    pad.addEventListener("pointermove", (event) => this.fingers.has(event.pointerId) && hold(event));
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
      pad.addEventListener(name, (event) => {
        this.fingers.delete(event.pointerId);
        this.light(pad);
      });
    }
    pad.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  light(pad) {
    const held = [...this.fingers.values()];
    for (const button of pad.querySelectorAll("[data-key]")) {
      button.classList.toggle("held", held.includes(BUTTONS[button.dataset.key]));
    }
  }

  gamepad() {
    let held = 0;
    let start = 0;
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad?.connected) continue;
      pad.buttons.forEach((button, i) => { if (button.pressed) held |= PAD_BUTTONS[i] ?? 0; });
      if ((pad.axes[0] ?? 0) < -TILT) held |= c.LEFT;
      if ((pad.axes[0] ?? 0) > TILT) held |= c.RIGHT;
      if ((pad.axes[1] ?? 0) > 2 * TILT) held |= c.DUCK;
      if (pad.buttons[PAD_START]?.pressed) start |= 1 << 30;
      if (pad.buttons[PAD_SELECT]?.pressed) start |= 1 << 29;
    }
    const fresh = (held | start) & ~this.padBefore;
    this.padBefore = held | start;
    if (fresh & (1 << 30)) this.pause();
    else if (fresh & (1 << 29)) this.again();
    else if (fresh) this.wake();
    return held;
  }
}
