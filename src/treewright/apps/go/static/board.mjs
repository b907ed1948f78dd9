// The board is an SVG that the page draws; here are its clicks, its arrow keys, and the line under the mouse.
const points = () => [...document.querySelectorAll("#go-board [data-vertex]")];

document.addEventListener("click", (event) => {
  const point = event.target.closest?.("#go-board [data-vertex]");
  if (point) emitEvent("go_click", point.dataset.vertex);
});

document.addEventListener("keydown", (event) => {
  const here = document.activeElement?.closest?.("#go-board [data-vertex]");
  if (!here) return;
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    emitEvent("go_click", here.dataset.vertex);
  } else if (step) {
    event.preventDefault();
    const [x, y] = [Number(here.dataset.x) + step[0], Number(here.dataset.y) + step[1]];
    points().find((p) => Number(p.dataset.x) === x && Number(p.dataset.y) === y)?.focus();
  }
});

const show = (event) => {
  const ghosts = document.querySelector("#go-board .ghosts");
  if (!ghosts) return;
  ghosts.replaceChildren();
  const candidate = event.target.closest?.("#go-board [data-line]");
  if (!candidate) return;
  let colour = Number(candidate.dataset.colour);
  candidate.dataset.line.split(" ").forEach((vertex, i) => {
    const at = points().find((p) => p.dataset.vertex === vertex);
    if (at) {
      const [x, y] = [at.dataset.x, at.dataset.y];
      ghosts.insertAdjacentHTML("beforeend",
        `<circle cx="${x}" cy="${y}" r=".45" class="${colour === 1 ? "black" : "white"}"/>` +
        `<text x="${x}" y="${y}" dy=".16" class="${colour === 1 ? "on-black" : "on-white"}">${i + 1}</text>`);
    }
    colour = 3 - colour;
  });
};
document.addEventListener("pointerover", show);
document.addEventListener("focusin", show);
