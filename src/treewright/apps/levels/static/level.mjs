// A level on a canvas: its tiles, the checker's way over it, locked columns, and a brush.
//
// The page sets window.levelNow = {rows, path, playable, farthest, locked} and calls levelShow(), with front, the
// number of columns so far, while a level grows; what is painted or locked here goes back by emitEvent, and the page answers with what the checker says.
const SIDE = 16;
const SCALE = 2;
const PATH = "#e23e54";

class Editor {
  constructor(root) {
    this.canvas = root.querySelector("canvas");
    this.picture = this.canvas.getContext("2d");
    this.characters = root.dataset.characters;
    this.stops = new Set(root.dataset.stops);
    this.art = new Image();
    this.art.onload = () => this.draw();
    this.art.src = root.dataset.art;
    this.mode = "look";
    this.tile = "X";
    this.rows = [];
    this.cursor = null;
    this.begun = null;
    this.listen();
  }

  show(now) {
    this.rows = now.rows.map((row) => [...row]);
    Object.assign(this, { path: now.path ?? [], playable: now.playable, farthest: now.farthest });
    if (now.locked) this.locked = new Set(now.locked);
    this.canvas.width = this.rows[0].length * SIDE * SCALE;
    this.canvas.height = this.rows.length * SIDE * SCALE;
    this.canvas.style.height = `${this.rows.length * SIDE * 1.5}px`;
    this.follow(now.front);
    this.draw();
  }

  // while a level grows its last column stays in sight; when it is there, so does its beginning
  follow(front) {
    const room = this.canvas.parentElement;
    if (front) room.scrollLeft = front * SIDE * 1.5 - 0.8 * room.clientWidth;
    else if (this.grew) room.scrollLeft = 0;
    this.grew = front;
  }

  draw() {
    const p = this.picture;
    if (!this.rows.length) return;
    p.setTransform(SCALE, 0, 0, SCALE, 0, 0);
    p.imageSmoothingEnabled = false;
    const width = this.rows[0].length * SIDE, height = this.rows.length * SIDE;
    const sky = p.createLinearGradient(0, 0, 0, height);
    sky.addColorStop(0, "#7ab6de");
    sky.addColorStop(1, "#cee8f0");
    p.fillStyle = sky;
    p.fillRect(0, 0, width, height);
    for (let y = 0; y < this.rows.length; y++) {
      for (let x = 0; x < this.rows[y].length; x++) this.drawTile(x, y);
    }
    this.drawLocks(height);
    this.drawPath();
    if (!this.playable && this.farthest) this.frame(...this.farthest, PATH);
    if (this.cursor && document.activeElement === this.canvas) this.frame(...this.cursor, "#111");
  }

  drawTile(x, y) {
    const tile = this.rows[y][x];
    const at = this.characters.indexOf(tile);
    if (tile === "-" || at < 0 || !this.art.complete) return;
    const buried = y > 0 && this.stops.has(this.rows[y - 1][x]) ? SIDE : 0;
    this.picture.drawImage(this.art, at * SIDE, buried, SIDE, SIDE, x * SIDE, y * SIDE, SIDE, SIDE);
  }

  drawLocks(height) {
    this.picture.fillStyle = "#1d2b6440";
    const chosen = new Set(this.locked ?? []);
    if (this.begun && this.mode === "lock") for (const x of this.span()) chosen.add(x);
    for (const x of chosen) this.picture.fillRect(x * SIDE, 0, SIDE, height);
  }

  drawPath() {
    const p = this.picture;
    for (const [width, colour] of [[4, "#fff"], [2, PATH]]) {
      p.lineWidth = width;
      p.strokeStyle = colour;
      p.lineJoin = "round";
      for (const line of this.path) {
        p.beginPath();
        line.forEach(([x, y], i) => (i ? p.lineTo(x, y) : p.moveTo(x, y)));
        p.stroke();
      }
    }
  }

  frame(x, y, colour) {
    this.picture.strokeStyle = colour;
    this.picture.lineWidth = 2;
    this.picture.strokeRect(x * SIDE + 1, y * SIDE + 1, SIDE - 2, SIDE - 2);
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = Math.floor((event.clientX - box.left) / box.width * this.rows[0].length);
    const y = Math.floor((event.clientY - box.top) / box.height * this.rows.length);
    return [Math.max(0, Math.min(x, this.rows[0].length - 1)), Math.max(0, Math.min(y, this.rows.length - 1))];
  }

  span() {
    const [a, b] = [this.begun[0], this.cursor[0]].sort((p, q) => p - q);
    return Array.from({ length: b - a + 1 }, (_, i) => a + i);
  }

  listen() {
    const c = this.canvas;
    c.addEventListener("pointerdown", (event) => {
      if (this.mode === "look" || !this.rows.length) return;
      event.preventDefault();
      c.focus();
      c.setPointerCapture(event.pointerId);
      this.begun = this.cursor = this.at(event);
      this.touch();
    });
    c.addEventListener("pointermove", (event) => {
      if (!this.begun) return;
      this.cursor = this.at(event);
      this.touch();
    });
    c.addEventListener("pointerup", () => this.begun && this.finish());
    c.addEventListener("pointercancel", () => { this.begun = null; this.draw(); });
    c.addEventListener("keydown", (event) => this.key(event));
    for (const name of ["focus", "blur"]) c.addEventListener(name, () => this.draw());
  }

  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!this.rows.length || this.mode === "look") return;
    if (step) {
      event.preventDefault();
      const [x, y] = this.cursor ?? [0, 0];
      this.cursor = [
        Math.max(0, Math.min(x + step[0], this.rows[0].length - 1)),
        Math.max(0, Math.min(y + step[1], this.rows.length - 1)),
      ];
      this.draw();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.cursor ??= [0, 0];
      this.begun = this.cursor;
      this.touch();
      this.finish();
    }
  }

  touch() {
    if (this.mode === "paint") {
      const [x, y] = this.cursor;
      if ("MF".includes(this.tile)) this.rows = this.rows.map((row) => row.map((t) => (t === this.tile ? "-" : t)));
      this.rows[y][x] = this.tile;
    }
    this.draw();
  }

  finish() {
    if (this.mode === "paint") {
      emitEvent("level_painted", { rows: this.rows.map((row) => row.join("")) });
    } else {
      this.locked ??= new Set();
      const span = this.span();
      const all = span.every((x) => this.locked.has(x));
      for (const x of span) all ? this.locked.delete(x) : this.locked.add(x);
      emitEvent("level_locked", { columns: [...this.locked].sort((a, b) => a - b) });
    }
    this.begun = null;
    this.draw();
  }
}

const find = () => {
  const root = document.getElementById("level-editor");
  if (!root) return requestAnimationFrame(find);
  const editor = (window.levelEditor = new Editor(root));
  window.levelShow = () => window.levelNow && editor.show(window.levelNow);
  window.levelShow();
};
find();
