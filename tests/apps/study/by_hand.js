// A device presses keys tick by tick; this is the clock, so it is as fast as it can be.
async ([runs, device]) => {
  const player = window.treewrightGame;
  const frame = window.requestAnimationFrame;
  window.requestAnimationFrame = () => 0;
  const [codes, buttons] = [["ArrowLeft", "ArrowRight", "ShiftLeft", "Space", "ArrowDown"], [14, 15, 2, 0, 13]];
  const names = ["left", "right", "run", "jump", "duck"];
  const pad = { connected: true, axes: [0, 0], buttons: [...Array(16)].map(() => ({ pressed: false })) };
  if (device === "gamepad") navigator.getGamepads = () => [pad];
  const poke = (element, kind, id) => {
    const box = element.getBoundingClientRect();
    const where = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
    element.dispatchEvent(new PointerEvent(kind, { bubbles: true, cancelable: true, pointerId: id, pointerType: "touch", ...where }));
  };
  const press = {
    keyboard: (i, down) => window.dispatchEvent(new KeyboardEvent(down ? "keydown" : "keyup", { code: codes[i], cancelable: true })),
    gamepad: (i, down) => { pad.buttons[buttons[i]].pressed = down; },
    touch: (i, down) => {
      const button = document.querySelector(`[data-key=${names[i]}]`);
      if (names[i] === "run") poke(button, "pointerdown", 9); // it stays pressed
      else poke(button, down ? "pointerdown" : "pointerup", i + 1);
    },
  }[device];
  let now = performance.now() + 1e6;
  player.last = now;
  player.owed = 0;
  if (device === "gamepad") { press(3, true); player.frame(now); press(3, false); }
  if (device === "touch") poke(document.querySelector("[data-part=message]"), "pointerdown", 8);
  if (device === "keyboard") window.dispatchEvent(new KeyboardEvent("keydown", { code: "Enter" }));
  const started = player.phase;
  player.owed = 0;
  let held = 0;
  for (const [keys, ticks] of runs) {
    for (let i = 0; i < 5; i++) if ((keys ^ held) & (1 << i)) press(i, !!(keys & (1 << i)));
    held = keys;
    for (let t = 0; t < ticks && player.phase === "playing"; t++) player.frame((now += 1000 / 30 + 1e-6));
  }
  window.requestAnimationFrame = frame;
  frame((next) => player.frame(next));
  return started;
}
