// Everything that is seen of the game, drawn by the code below in art of our own: a seedling among
// beetles, snails and thorns.
import { constants as c, player_height } from "./engine.mjs";

const T = c.TILE;
const colours = {
  skyTop: "#7ab6de", skyLow: "#d8ecf2", hill: "#a9cfa4", hillFar: "#bcdcd2",
  earth: "#96683f", earthDark: "#764e32", earthLight: "#b0825a", grass: "#60a048", grassDark: "#427a38",
  brick: "#bc6246", mortar: "#803e30", brickLight: "#d48262",
  gold: "#ecba42", goldDark: "#a8761e", goldLight: "#fce08a",
  teal: "#3a948c", tealDark: "#206260", tealLight: "#82cabe",
  iron: "#545868", ironDark: "#343644", ironLight: "#868c9e",
  ink: "#282430", white: "#faf8f0", purple: "#925ca8", purpleDark: "#683c7c",
  red: "#d0503c", redDark: "#8e2e24", green: "#58a04c", greenDark: "#336a2e", skin: "#f0dcb8",
  cloud: "#ffffff", pole: "#282430",
};
const ground = { below: [], exposed: [] }; // shapes of a theme, instead of earth and grass

/** Take on a theme (themes.py): other colours, and its own ground. */
export function dress(theme) {
  Object.assign(colours, theme.colours);
  Object.assign(ground, { below: theme.ground, exposed: theme.exposed });
}

function shape(g, [kind, n, colour], x, y) {
  const points = [];
  for (let i = 0; i < n.length; i += 2) points.push([x + n[i], y + n[i + 1]]);
  if (kind === "rect") return rect(g, colour, x + n[0], y + n[1], n[2] - n[0] + 1, n[3] - n[1] + 1);
  if (kind === "polygon") return polygon(g, colour, points);
  if (kind === "dots") return points.forEach(([px, py]) => rect(g, colour, px, py, 1, 1));
  g.strokeStyle = colour;
  g.beginPath();
  points.forEach(([px, py], i) => (i ? g.lineTo(px + 0.5, py + 0.5) : g.moveTo(px + 0.5, py + 0.5)));
  return g.stroke();
}

function rect(g, colour, x, y, w, h) {
  g.fillStyle = colour;
  g.fillRect(x, y, w, h);
}

function blob(g, colour, x, y, rx, ry) {
  g.fillStyle = colour;
  g.beginPath();
  g.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
  g.fill();
}

function polygon(g, colour, points) {
  g.fillStyle = colour;
  g.beginPath();
  points.forEach(([x, y], i) => (i ? g.lineTo(x, y) : g.moveTo(x, y)));
  g.fill();
}

const tiles = {
  [c.SOLID](g, x, y, exposed) {
    if (ground.below.length) {
      for (const part of [...ground.below, ...(exposed ? ground.exposed : [])]) shape(g, part, x, y);
      return;
    }
    rect(g, colours.earth, x, y, T, T);
    for (const [dx, dy] of [[2, 9], [10, 6], [6, 13], [13, 11]]) rect(g, colours.earthDark, x + dx, y + dy, 2, 1);
    for (const [dx, dy] of [[7, 8], [12, 14], [1, 13]]) rect(g, colours.earthLight, x + dx, y + dy, 1, 1);
    if (exposed) {
      rect(g, colours.grass, x, y, T, 4);
      rect(g, colours.grassDark, x, y, T, 1);
      for (let k = 0; k < 16; k += 4) rect(g, colours.grass, x + k, y + 4, 2, 1);
    }
  },
  [c.BRICK](g, x, y) {
    rect(g, colours.mortar, x, y, T, T);
    for (let row = 0; row < 4; row++) {
      for (let k = row % 2 ? -4 : 0; k < 16; k += 8) {
        const left = Math.max(k, 0);
        const right = Math.min(k + 7, 16);
        rect(g, colours.brick, x + left, y + row * 4, right - left, 3);
        rect(g, colours.brickLight, x + left, y + row * 4, right - left, 1);
      }
    }
  },
  [c.COIN_BLOCK](g, x, y) {
    rect(g, colours.goldDark, x, y, T, T);
    rect(g, colours.gold, x + 1, y + 1, 14, 14);
    rect(g, colours.goldLight, x + 1, y + 1, 14, 1);
    rect(g, colours.goldDark, x + 6, y + 4, 4, 8);
    rect(g, colours.goldLight, x + 7, y + 5, 2, 6);
  },
  [c.POWER_BLOCK](g, x, y) {
    rect(g, colours.goldDark, x, y, T, T);
    rect(g, colours.gold, x + 1, y + 1, 14, 14);
    rect(g, colours.goldLight, x + 1, y + 1, 14, 1);
    acorn(g, x + 8, y + 13);
  },
  [c.USED](g, x, y) {
    rect(g, colours.earthDark, x, y, T, T);
    rect(g, colours.earthLight, x + 1, y + 1, 14, 14);
    for (const [dx, dy] of [[2, 2], [12, 2], [2, 12], [12, 12]]) rect(g, colours.earthDark, x + dx, y + dy, 2, 2);
  },
  [c.PIPE](g, x, y) {
    rect(g, colours.teal, x, y, T, T);
  },
  [c.PIPE_TOP](g, x, y) {
    rect(g, colours.teal, x, y, T, T);
    rect(g, colours.tealLight, x, y + 1, T, 2);
    rect(g, colours.tealDark, x, y + 12, T, 2);
    rect(g, colours.tealDark, x, y, T, 1);
  },
  [c.CANNON_TOP](g, x, y) {
    rect(g, colours.ironDark, x, y, T, T);
    rect(g, colours.iron, x + 1, y + 1, 14, 13);
    rect(g, colours.ironLight, x + 1, y + 1, 14, 2);
    blob(g, colours.ink, x + 8, y + 9, 5, 4);
    blob(g, colours.ironLight, x + 8, y + 9, 2, 2);
  },
  [c.CANNON_BODY](g, x, y) {
    rect(g, colours.ironDark, x + 2, y, 12, T);
    rect(g, colours.iron, x + 4, y, 8, T);
    rect(g, colours.ironLight, x + 5, y, 1, T);
  },
};

function pipeEdges(g, game, row, column, x, y) {
  const same = (at) => at >= 0 && at < game.columns
    && [c.PIPE, c.PIPE_TOP].includes(game.cells[row * game.columns + at]);
  if (!same(column - 1)) {
    rect(g, colours.tealDark, x, y, 1, T);
    rect(g, colours.tealLight, x + 3, y, 2, T);
  }
  if (!same(column + 1)) rect(g, colours.tealDark, x + 13, y, 3, T);
}

function coin(g, x, y, time) {
  const turn = Math.abs(Math.cos(time / 7));
  blob(g, colours.goldDark, x + 8, y + 8, Math.max(1, 5 * turn), 6);
  blob(g, colours.gold, x + 8, y + 8, Math.max(0.6, 4 * turn), 5);
  rect(g, colours.goldLight, x + 7, y + 5, 1, 6);
}

function acorn(g, x, y) {
  blob(g, colours.earthLight, x, y - 4, 4, 5);
  blob(g, colours.earthDark, x, y - 8, 5.5, 3);
  rect(g, colours.earthDark, x - 0.5, y - 12, 1.5, 3);
  rect(g, colours.skin, x - 2, y - 5, 1, 3);
}

const things = {
  [c.GOOMBA](g, x, y, thing, time) { // a beetle
    const leg = Math.floor(time / 4) % 2;
    rect(g, colours.ink, x - 5 + leg, y - 2, 3, 2);
    rect(g, colours.ink, x + 2 - leg, y - 2, 3, 2);
    blob(g, colours.purpleDark, x, y - 6, 7, 6);
    blob(g, colours.purple, x, y - 7, 6, 5);
    rect(g, colours.purpleDark, x - 0.5, y - 12, 1, 9);
    eyes(g, x, y - 5, thing[c.SIDE]);
  },
  [c.GREEN](g, x, y, thing, time) { snail(g, x, y, thing, time, colours.green, colours.greenDark); },
  [c.RED](g, x, y, thing, time) { snail(g, x, y, thing, time, colours.red, colours.redDark); },
  [c.FLOWER](g, x, y, thing, time) { // thorns that come out of a pipe
    const top = y - c.TALL;
    rect(g, colours.greenDark, x - 1.5, top + 8, 3, 16);
    blob(g, colours.redDark, x, top + 6, 8, 6.5);
    blob(g, colours.red, x, top + 6, 7, 5.5);
    const open = 1.5 + Math.abs(Math.sin(time / 6)) * 2;
    polygon(g, colours.ink, [[x - 6, top + 6 - open], [x + 6, top + 6 - open], [x, top + 8], [x + 6, top + 6 + open], [x - 6, top + 6 + open]]);
    for (let k = -5; k <= 4; k += 3) polygon(g, colours.white, [[x + k, top + 6 - open], [x + k + 2, top + 6 - open], [x + k + 1, top + 7 - open / 2]]);
  },
  [c.BULLET](g, x, y, thing) {
    const s = thing[c.SIDE];
    rect(g, colours.ironDark, x - 6, y - 11, 12, 10);
    blob(g, colours.ironDark, x + 6 * s, y - 6, 4, 5);
    rect(g, colours.ironLight, x - 5, y - 10, 10, 2);
    polygon(g, colours.gold, [[x - 7 * s, y - 11], [x - 11 * s, y - 6], [x - 7 * s, y - 1]]);
    rect(g, colours.white, x + 3 * s - 1, y - 8, 2, 3);
  },
  [c.MUSHROOM](g, x, y) { acorn(g, x, y); },
};

function eyes(g, x, y, side) {
  for (const dx of [-3, 2]) {
    rect(g, colours.white, x + dx + side, y - 3, 2, 3);
    rect(g, colours.ink, x + dx + side + (side > 0 ? 1 : 0), y - 2, 1, 2);
  }
}

function snail(g, x, y, thing, time, colour, dark) {
  const still = thing[c.MODE] === c.SHELL || thing[c.MODE] === c.SLIDING;
  const s = thing[c.SIDE];
  if (!still) {
    blob(g, colours.skin, x + s, y - 2, 8, 2.5);
    rect(g, colours.skin, x + 5 * s - 1.5, y - 10, 3, 8);
    rect(g, colours.ink, x + 5 * s + s - 0.5, y - 10, 1, 2);
  }
  const spin = thing[c.MODE] === c.SLIDING ? Math.floor(time / 2) % 2 : 0;
  blob(g, dark, x - (still ? 0 : s), y - (still ? 5 : 7), 7, still ? 5 : 6);
  blob(g, colour, x - (still ? 0 : s), y - (still ? 6 : 8), 5.5, still ? 4 : 5);
  blob(g, dark, x - (still ? 0 : s) + spin * 2, y - (still ? 6 : 8), 2.2, 2);
}

function seedling(g, x, y, game, time) {
  const { status, body } = game;
  const height = player_height(status);
  const s = status[c.FACING];
  const moving = Math.abs(body[c.VX]) > 0.3 && body[c.GROUNDED];
  const foot = moving ? Math.floor(time / 3) % 2 : 0;
  rect(g, colours.earthDark, x - 4 + foot, y - 2, 3, 2);
  rect(g, colours.earthDark, x + 1 - foot, y - 2, 3, 2);
  const tall = height === c.TALL;
  rect(g, colours.skin, x - 4, y - (tall ? 17 : 9), 8, tall ? 15 : 7);
  rect(g, colours.green, x - 4, y - (tall ? 9 : 5), 8, tall ? 7 : 3);
  const head = y - (tall ? 15 : 7);
  rect(g, colours.ink, x + 1 * s - (s < 0 ? 1 : 0), head, 1, tall ? 3 : 2);
  rect(g, colours.ink, x + 3 * s - (s < 0 ? 1 : 0), head, 1, tall ? 3 : 2);
  const sway = body[c.GROUNDED] ? 0 : Math.sign(body[c.VY]) * -1.5;
  const leaf = y - (tall ? 18 : 10);
  blob(g, colours.greenDark, x - 4, leaf + sway, 4.5, 2.2);
  blob(g, colours.green, x + 4, leaf + sway, 4.5, 2.2);
  if (tall) {
    blob(g, colours.green, x - 3, leaf - 4 + sway, 3.5, 2);
    blob(g, colours.grass, x + 3, leaf - 4 + sway, 3.5, 2);
  }
  rect(g, colours.greenDark, x - 0.5, leaf - 1, 1, 3);
}

function flag(g, x, height) {
  rect(g, colours.pole, x, 8, 2, height);
  polygon(g, colours.red, [[x + 2, 10], [x + 16, 16], [x + 2, 22]]);
  blob(g, colours.gold, x + 1, 7, 3, 3);
}

function background(g, left, width, height) {
  const sky = g.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, colours.skyTop);
  sky.addColorStop(1, colours.skyLow);
  g.fillStyle = sky;
  g.fillRect(0, 0, width, height);
  for (let k = -1; k < width / 120 + 2; k++) {
    const far = k * 120 - (left * 0.2) % 120;
    blob(g, colours.hillFar, far, height, 80, 74);
    const near = k * 120 + 50 - (left * 0.4) % 120;
    blob(g, colours.hill, near, height, 66, 44);
  }
  for (let k = -1; k < width / 170 + 2; k++) {
    const x = k * 170 - (left * 0.1) % 170;
    for (const [dx, r] of [[0, 9], [12, 12], [25, 8]]) blob(g, `${colours.cloud}b0`, x + dx, 36 + (k % 2) * 16, r, r * 0.6);
  }
}

/** Draw a game between two ticks: ``before`` holds the places one tick ago. */
export function draw(g, game, before, share, width, height) {
  const mix = (a, b) => a + (b - a) * share;
  const { status, body } = game;
  const time = status[c.TICK] + share;
  const x = mix(before.x, body[c.X]);
  const y = mix(before.y, body[c.Y]);
  const left = Math.max(0, Math.min(x - width * 0.42, game.columns * T - width));
  background(g, left, width, height);
  g.save();
  g.translate(-Math.round(left * 2) / 2, height - game.rows * T);
  flag(g, status[c.GOAL] * T + 6, game.rows * T);
  for (const kind of [c.FLOWER]) for (const [i, thing] of game.things.entries()) {
    if (thing[c.KIND] === kind && thing[c.MODE] !== c.GONE) {
      g.save();
      g.beginPath();
      g.rect(thing[c.X] - 16, 0, 32, thing[c.HOME]);
      g.clip();
      things[kind](g, thing[c.X], mix(before.things[i][1], thing[c.Y]), thing, time);
      g.restore();
    }
  }
  const first = Math.max(0, Math.floor(left / T));
  const last = Math.min(game.columns - 1, Math.ceil((left + width) / T));
  for (let column = first; column <= last; column++) {
    for (let row = 0; row < game.rows; row++) {
      const at = row * game.columns + column;
      const cell = game.cells[at];
      if (cell) {
        const exposed = row === 0 || !game.cells[at - game.columns];
        tiles[cell](g, column * T, row * T, exposed);
        if (cell === c.PIPE || cell === c.PIPE_TOP) pipeEdges(g, game, row, column, column * T, row * T);
      } else if (game.coins[at]) {
        coin(g, column * T, row * T, time);
      }
    }
  }
  for (const [i, thing] of game.things.entries()) {
    const kind = thing[c.KIND];
    if (thing[c.MODE] === c.GONE || kind === c.FLOWER || kind === c.CANNON) continue;
    if (thing[c.X] < left - 20 || thing[c.X] > left + width + 20) continue;
    const was = before.things[i];
    const jumped = Math.abs(was[0] - thing[c.X]) > 24;
    things[kind](g, jumped ? thing[c.X] : mix(was[0], thing[c.X]), 1 + (jumped ? thing[c.Y] : mix(was[1], thing[c.Y])), thing, time);
  }
  const blink = status[c.SAFE] > 2 && Math.floor(time / 2) % 2;
  if (!blink) seedling(g, x, y + 1, game, time);
  g.restore();
}

/** The places that the next frame is drawn from. */
export function places(game) {
  return {
    x: game.body[c.X],
    y: game.body[c.Y],
    things: game.things.map((thing) => [thing[c.X], thing[c.Y]]),
  };
}
