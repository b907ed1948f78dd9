// node run_inputs.mjs play.mjs < jobs.json: the page's player without a page, played by each device.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const heard = {}; // what the page listens to
const listen = (name, act) => (heard[name] ??= []).push(act);
const say = (name, event) => (heard[name] ?? []).forEach((act) => act({ preventDefault() {}, ...event }));
const element = (parts = {}) => ({
  dataset: {}, hidden: false, textContent: "", classList: { toggle() {} }, setAttribute() {}, blur() {},
  hasPointerCapture: () => false, querySelectorAll: () => [], ...parts,
  acts: {}, addEventListener(name, act) { this.acts[name] = act; },
});
const pen = new Proxy({}, { get: (_, name) => (name === "createLinearGradient" ? () => ({ addColorStop() {} }) : () => {}), set: () => true });
let under = null; // the button below a finger
globalThis.window = { addEventListener: listen };
globalThis.document = { addEventListener: listen, dispatchEvent() {}, elementFromPoint: () => under, querySelectorAll: () => [] };
globalThis.CustomEvent = class {};
globalThis.requestAnimationFrame = () => 0;
globalThis.localStorage = { getItem: () => null, setItem() {}, removeItem() {} };
const pads = [];
Object.defineProperty(globalThis, "navigator", { value: { getGamepads: () => pads }, configurable: true });
const { Player } = await import(pathToFileURL(process.argv[2]).href);

const NAMES = ["left", "right", "run", "jump", "duck"];
const CODES = ["ArrowLeft", "ArrowRight", "ShiftLeft", "Space", "ArrowDown"];
const BUTTONS = [14, 15, 2, 0, 13];

async function play({ world, runs, device }) {
  for (const name of Object.keys(heard)) delete heard[name];
  pads.length = 0;
  const sent = [];
  globalThis.fetch = async (_, { body }) => {
    sent.push(JSON.parse(body));
    return { ok: true, status: 200, json: async () => ({}) };
  };
  const pad = element();
  const parts = { canvas: element({ getContext: () => pen }), pad, sound: element() };
  const root = { querySelector: (which) => parts[/data-part=(\w+)/.exec(which)[1]] };
  const says = { box: element(), title: element(), hint: element(), status: element() };
  const player = new Player(root, says, { world, attempts: [], most: 3 }, "/level");
  player.tape.send = async () => null; // what is recorded stays on the tape, to be looked at
  const gamepad = { connected: true, axes: [0, 0], buttons: [...Array(16)].map(() => ({ pressed: false })) };
  const press = {
    keyboard: (i, down) => say(down ? "keydown" : "keyup", { code: CODES[i] }),
    gamepad: (i, down) => { gamepad.buttons[BUTTONS[i]].pressed = down; },
    touch: (i, down) => {
      const button = element({ dataset: { key: NAMES[i] }, closest() { return this; } });
      under = button;
      const toggles = NAMES[i] === "run"; // it stays pressed
      pad.acts[down || toggles ? "pointerdown" : "pointerup"]({ preventDefault() {}, target: button, pointerId: i + 1 });
    },
  }[device];
  const phases = [player.phase];
  let now = 1000;
  player.last = now;
  if (device === "gamepad") pads.push(gamepad);
  if (device === "touch") says.box.acts.pointerdown();
  if (device === "keyboard") say("keydown", { code: "Enter" });
  if (device === "gamepad") { press(3, true); player.frame(now); press(3, false); }
  phases.push(player.phase);
  say("keydown", { code: "Escape" });
  phases.push(player.phase);
  say("keydown", { code: "Escape" });
  phases.push(player.phase);
  let held = 0;
  for (const [keys, ticks] of runs) {
    for (let i = 0; i < 5; i++) if ((keys ^ held) & (1 << i)) press(i, !!(keys & (1 << i)));
    held = keys;
    for (let t = 0; t < ticks && player.phase === "playing"; t++) player.frame((now += 1000 / 30 + 1e-6));
  }
  return { phases, tape: player.tape.runs, won: player.game.status[1] === 1 };
}

const found = [];
for (const job of JSON.parse(readFileSync(0, "utf8"))) found.push(await play(job));
process.stdout.write(JSON.stringify(found));
process.exit(0);
