// The map is an SVG that the page draws; here is the brush: the cells under the pointer, from press to release.
let cells = null;

const at = (event) => {
  const grid = document.querySelector("#map-grid");
  const box = grid.getBoundingClientRect();
  const x = Math.floor((event.clientX - box.left) / box.width * Number(grid.dataset.width));
  const y = Math.floor((event.clientY - box.top) / box.height * Number(grid.dataset.height));
  return [x, y];
};

const add = (event) => {
  const [x, y] = at(event);
  if (!cells.some(([a, b]) => a === x && b === y)) cells.push([x, y]);
};

document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest?.("#map-grid")) return;
  event.preventDefault();
  cells = [];
  add(event);
});
document.addEventListener("pointermove", (event) => cells && event.target.closest?.("#map-grid") && add(event));
document.addEventListener("pointerup", () => {
  if (cells) emitEvent("map_cells", { cells });
  cells = null;
});
document.addEventListener("keydown", (event) => {
  const here = document.activeElement?.closest?.("#map-grid");
  if (!here) return;
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const cursor = here.querySelector(".cursor");
  let [x, y] = [Number(cursor.getAttribute("x")), Number(cursor.getAttribute("y"))];
  if (step) {
    event.preventDefault();
    cursor.setAttribute("x", Math.max(0, Math.min(x + step[0], Number(here.dataset.width) - 1)));
    cursor.setAttribute("y", Math.max(0, Math.min(y + step[1], Number(here.dataset.height) - 1)));
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    emitEvent("map_cells", { cells: [[x, y]] });
  }
});
