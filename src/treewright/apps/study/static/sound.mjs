// Sounds made by oscillators, from the game's own events; off until somebody asks for them.
import { constants as c } from "./engine.mjs";

// [from Hz, to Hz, seconds, shape]
const VOICES = {
  [c.E_JUMP]: [260, 520, 0.14, "square"], [c.E_COIN]: [880, 1320, 0.12, "sine"], [c.E_STOMP]: [300, 90, 0.12, "triangle"],
  [c.E_SHELL]: [420, 120, 0.12, "triangle"], [c.E_KICK]: [200, 320, 0.08, "square"], [c.E_BREAK]: [140, 60, 0.15, "sawtooth"],
  [c.E_HURT]: [320, 110, 0.3, "sawtooth"], [c.E_DIE]: [440, 55, 0.6, "sawtooth"], [c.E_WIN]: [520, 1040, 0.5, "triangle"],
  [c.E_POWER]: [330, 660, 0.3, "sine"],
};
const LOUD = 0.06;
const NAME = "treewright-sound";

export class Sound {
  constructor(button) {
    this.button = button;
    this.on = false;
    try {
      this.on = localStorage.getItem(NAME) === "on";
    } catch { /* no storage: off */ }
    this.show();
    button?.addEventListener("click", () => this.toggle());
  }

  toggle() {
    this.on = !this.on;
    try {
      localStorage.setItem(NAME, this.on ? "on" : "off");
    } catch { /* it holds for this page */ }
    this.show();
    this.button.blur(); // the space bar is for jumping
  }

  show() {
    if (!this.button) return;
    this.button.textContent = this.on ? "Sound: on" : "Sound: off";
    this.button.setAttribute("aria-pressed", String(this.on));
  }

  /** What has happened since the last step. */
  play(events) {
    if (this.on) for (const [, event] of events) if (VOICES[event]) this.voice(...VOICES[event]);
  }

  voice(from, to, seconds, shape) {
    this.context ??= new AudioContext();
    const { context } = this;
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    const now = context.currentTime;
    tone.type = shape;
    tone.frequency.setValueAtTime(from, now);
    tone.frequency.exponentialRampToValueAtTime(to, now + seconds);
    volume.gain.setValueAtTime(LOUD, now);
    volume.gain.exponentialRampToValueAtTime(0.001, now + seconds);
    tone.connect(volume).connect(context.destination);
    tone.start(now);
    tone.stop(now + seconds);
  }
}
