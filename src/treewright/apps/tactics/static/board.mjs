// The board is an SVG that the page draws; here are its clicks and its arrow keys.
document.addEventListener("click", (event) => {
  const square = event.target.closest?.("#tactics-board [data-square]");
  if (square) emitEvent("tactics_click", square.dataset.square);
});

let here = "";
document.addEventListener("keydown", (event) => {
  const square = document.activeElement?.closest?.("#tactics-board [data-square]");
  if (!square) return;
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    here = square.dataset.square;
    emitEvent("tactics_click", here);
  } else if (step) {
    event.preventDefault();
    focus(`${Number(square.dataset.x) + step[0]}${Number(square.dataset.y) + step[1]}`);
  }
});

const focus = (name) => document.querySelector(`#tactics-board [data-square="${name}"]`)?.focus();

// the page draws the board anew after each click; the keyboard stays where it was
new MutationObserver(() => {
  if (here && document.activeElement === document.body) focus(here);
}).observe(document.body, { childList: true, subtree: true });
document.addEventListener("pointerdown", () => { here = ""; });
