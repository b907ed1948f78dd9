// The game, step by step: the same as treewright/domains/levels/physics.py and
// treewright/study/game.py, line by line.  A test runs both on the same keys and compares every
// number after every step; change one only together with the other.

export const constants = {
  // physics.py
  TILE: 16, HALF_WIDTH: 4, WALK: 0.6, RUN: 1.2, FRICTION: 0.89, STILL: 0.5, GRAVITY: 3, DRAG: 0.85,
  JUMP_SPEED: 1.9, JUMP_TICKS: 7, STEP: 8, LEFT: 1, RIGHT: 2, SPEED: 4, JUMP: 8, RESTING: 0.01,
  X: 0, Y: 1, VX: 2, VY: 3, RISING: 4, GROUNDED: 5, MAY_JUMP: 6, BODY: 7,
  // game.py
  DUCK: 16, GIVE_UP: 32,
  AIR: 0, SOLID: 1, BRICK: 2, COIN_BLOCK: 3, POWER_BLOCK: 4, USED: 5, PIPE: 6, PIPE_TOP: 7,
  CANNON_TOP: 8, CANNON_BODY: 9,
  TICK: 0, OUTCOME: 1, CAUSE: 2, IS_LARGE: 3, SAFE: 4, DUCKING: 5, FACING: 6, COINS: 7, EVENTS: 8,
  KEYS: 9, GOING: 10, GOAL: 11, SLOT: 12, STOOD: 13, STATUS: 14,
  PLAYING: 0, WON: 1, DIED: 2,
  KIND: 7, MODE: 8, SIDE: 9, TIMER: 10, HOME: 11, THING: 12,
  GOOMBA: 1, GREEN: 2, RED: 3, FLOWER: 4, BULLET: 5, CANNON: 6, MUSHROOM: 7,
  ASLEEP: 0, AWAKE: 1, SHELL: 2, SLIDING: 3, GONE: 4,
  BY_GAP: 0, BY_SHELL: 6, BY_TIME: 7, BY_RESTART: 8,
  E_KEYS: 1, E_JUMP: 2, E_LAND: 3, E_BUMP: 4, E_BREAK: 5, E_COIN: 6, E_STOMP: 7, E_SHELL: 8,
  E_KICK: 9, E_HURT: 10, E_DIE: 11, E_WIN: 12, E_POWER: 13, E_GO: 14, E_ITEM: 15, E_DUCK: 16,
  LIMIT: 6000, HURT_TICKS: 32, KICK_TICKS: 8, WAKE: 192, WALKING: 1.75, SLIDING_SPEED: 11,
  FLYING: 4, STOMP_RISE: 8, LOW: 12, TALL: 24, REACH: 12, FIRE_EVERY: 90, FIRE_FAR: 192,
  FIRE_NEAR: 32, LOST: 320, FLOWER_CYCLE: 96, FLOWER_UP: 40, FLOWER_TOP: 56, FLOWER_DOWN: 80,
  FLOWER_RISE: 1.5, FLOWER_REACH: 10, FLOWER_SHY: 24, NEAR_ENEMY: 80, NEAR_HEIGHT: 64, NEAR_GAP: 5,
};
const {
  TILE, HALF_WIDTH, WALK, RUN, FRICTION, STILL, GRAVITY, DRAG, JUMP_SPEED, JUMP_TICKS, STEP,
  LEFT, RIGHT, SPEED, JUMP, RESTING, X, Y, VX, VY, RISING, GROUNDED, MAY_JUMP, DUCK, GIVE_UP,
  AIR, SOLID, BRICK, COIN_BLOCK, POWER_BLOCK, USED,
  TICK, OUTCOME, CAUSE, IS_LARGE, SAFE, DUCKING, FACING, COINS, EVENTS, KEYS, GOING, GOAL, SLOT, STOOD,
  PLAYING, WON, DIED, KIND, MODE, SIDE, TIMER, HOME, THING,
  GREEN, RED, FLOWER, BULLET, CANNON, MUSHROOM, ASLEEP, AWAKE, SHELL, SLIDING, GONE,
  BY_GAP, BY_SHELL, BY_TIME, BY_RESTART,
  E_KEYS, E_JUMP, E_LAND, E_BUMP, E_BREAK, E_COIN, E_STOMP, E_SHELL, E_KICK, E_HURT, E_DIE, E_WIN,
  E_POWER, E_GO, E_ITEM, E_DUCK,
  LIMIT, HURT_TICKS, KICK_TICKS, WAKE, WALKING, SLIDING_SPEED, FLYING, STOMP_RISE, LOW, TALL, REACH,
  FIRE_EVERY, FIRE_FAR, FIRE_NEAR, LOST, FLOWER_CYCLE, FLOWER_UP, FLOWER_TOP, FLOWER_DOWN,
  FLOWER_RISE, FLOWER_REACH, FLOWER_SHY, NEAR_ENEMY, NEAR_HEIGHT, NEAR_GAP,
} = constants;

const tile_of = (pixel) => Math.floor(pixel / TILE);

/** A fresh attempt in a world, as World.to_dict sends it. */
export function begin(world) {
  return {
    rows: world.rows,
    columns: world.columns,
    cells: Int8Array.from(world.cells),
    coins: Int8Array.from(world.coins),
    body: Float64Array.from(world.body),
    status: world.status.slice(),
    things: world.things.map((thing) => Float64Array.from(thing)),
    events: [],
  };
}

// --------------------------------------------------------------------------------- physics.py

function steer(body, keys) {
  const push = keys & SPEED ? RUN : WALK;
  if (keys & JUMP) {
    if (body[RISING] > 0) {
      body[VY] = -JUMP_SPEED * body[RISING];
      body[RISING] -= 1;
    } else if (body[GROUNDED] && body[MAY_JUMP]) {
      body[RISING] = JUMP_TICKS;
      body[VY] = -JUMP_SPEED * JUMP_TICKS;
    }
  } else {
    body[RISING] = 0;
  }
  if (keys & LEFT) body[VX] -= push;
  if (keys & RIGHT) body[VX] += push;
  if (Math.abs(body[VX]) < STILL) body[VX] = 0;
  body[MAY_JUMP] = body[GROUNDED] && !(keys & JUMP) ? 1 : 0;
  body[GROUNDED] = 0;
}

function settle(body) {
  body[VX] *= FRICTION;
  body[VY] *= DRAG;
  if (!body[GROUNDED]) body[VY] += GRAVITY;
}

function move(g, body, dx, dy, height) {
  while (Math.abs(dx) > STEP || Math.abs(dy) > STEP) {
    const step_x = dx > STEP ? STEP : dx < -STEP ? -STEP : 0;
    const step_y = dy > STEP ? STEP : dy < -STEP ? -STEP : 0;
    if (!step(g, body, step_x, step_y, height)) return;
    dx -= step_x;
    dy -= step_y;
  }
  step(g, body, dx, dy, height);
}

function step(g, body, dx, dy, height) {
  const x = body[X] + dx;
  const y = body[Y] + dy;
  let hit = false;
  if (dy > 0) {
    hit = wall(g, x - HALF_WIDTH, y) || wall(g, x + HALF_WIDTH, y)
      || wall(g, x - HALF_WIDTH, y + 1) || wall(g, x + HALF_WIDTH, y + 1);
  } else if (dy < 0) {
    hit = wall(g, x, y - height) || wall(g, x - HALF_WIDTH, y - height)
      || wall(g, x + HALF_WIDTH, y - height);
  }
  if (dx !== 0) {
    const side = dx > 0 ? x + HALF_WIDTH : x - HALF_WIDTH;
    hit = wall(g, side, y) || wall(g, side, y - height) || wall(g, side, y - height / 2) || hit;
  }
  if (!hit) {
    body[X] = x;
    body[Y] = y;
    return true;
  }
  if (dx < 0) {
    body[X] = tile_of(body[X] - HALF_WIDTH) * TILE + HALF_WIDTH;
    body[VX] = 0;
  }
  if (dx > 0) {
    body[X] = (tile_of(body[X] + HALF_WIDTH) + 1) * TILE - HALF_WIDTH - 1;
    body[VX] = 0;
  }
  if (dy < 0) {
    body[Y] = tile_of(body[Y] - height) * TILE + height;
    body[RISING] = 0;
    body[VY] = 0;
  }
  if (dy > 0) {
    body[Y] = (tile_of(body[Y] - 1) + 1) * TILE - 1;
    body[GROUNDED] = 1;
  }
  return false;
}

function wall(g, x, y) {
  const column = tile_of(x);
  const row = tile_of(y);
  if (row < 0 || column < 0 || row >= g.rows || column >= g.columns) return false;
  return g.cells[row * g.columns + column] !== 0;
}

// ------------------------------------------------------------------------------------ game.py

/** One thirtieth of a second with these keys held. */
export function tick(g, keys) {
  const { status, body, things } = g;
  status[TICK] += 1;
  if (keys !== status[KEYS]) {
    note(g, E_KEYS, keys);
    status[KEYS] = keys;
  }
  if (status[SAFE] > 0) status[SAFE] -= 1;
  move_player(g, keys);
  for (let i = 0; i < things.length; i++) {
    if (things[i][MODE] !== GONE) move_thing(g, i);
    if (status[OUTCOME] !== PLAYING) return;
  }
  if (body[Y] > TILE * g.rows + 32) {
    die(g, BY_GAP);
  } else if (body[X] >= TILE * status[GOAL]) {
    status[OUTCOME] = WON;
    note(g, E_WIN, 0);
  } else if (status[TICK] >= LIMIT) {
    die(g, BY_TIME);
  } else if (keys & GIVE_UP) {
    die(g, BY_RESTART);
  }
}

function note(g, event, value) {
  g.events.push([g.status[TICK], event, value, Math.trunc(g.body[X])]);
  g.status[EVENTS] += 1;
}

function die(g, cause) {
  g.status[OUTCOME] = DIED;
  g.status[CAUSE] = cause;
  note(g, E_DIE, cause);
}

export function player_height(status) {
  return status[IS_LARGE] && !status[DUCKING] ? TALL : LOW;
}

function move_player(g, keys) {
  const { body, status } = g;
  duck(g, keys);
  if (keys & DUCK && status[DUCKING] && body[GROUNDED]) keys &= ~(LEFT | RIGHT);
  if (keys & LEFT && !(keys & RIGHT)) status[FACING] = -1;
  if (keys & RIGHT && !(keys & LEFT)) status[FACING] = 1;
  if (keys & JUMP && body[RISING] <= 0 && body[GROUNDED] && body[MAY_JUMP]) note(g, E_JUMP, aim(g));
  const height = player_height(status);
  status[STOOD] = Math.trunc(body[GROUNDED]);
  steer(body, keys);
  move(g, body, body[VX], 0, height);
  if (body[X] < 0) {
    body[X] = 0;
    body[VX] = 0;
  }
  const rising = body[VY] < 0;
  move(g, body, 0, body[VY], height);
  if (rising && body[VY] === 0) bump(g, height);
  collect(g, height);
  if (body[GROUNDED] && !status[STOOD]) note(g, E_LAND, 0);
  settle(body);
  const going = body[VX] > 0 ? 1 : body[VX] < 0 ? -1 : 0;
  if (going !== status[GOING]) {
    status[GOING] = going;
    note(g, E_GO, going);
  }
}

function duck(g, keys) {
  const { body, status } = g;
  const before = status[DUCKING];
  if (!status[IS_LARGE]) {
    status[DUCKING] = 0;
  } else if (body[GROUNDED] && keys & DUCK) {
    status[DUCKING] = 1;
  } else if (before && (body[GROUNDED] || !(keys & DUCK))) {
    const left = wall(g, body[X] - HALF_WIDTH, body[Y] - TALL);
    const right = wall(g, body[X] + HALF_WIDTH, body[Y] - TALL);
    status[DUCKING] = left || right ? 1 : 0;
  }
  if (status[DUCKING] !== before) note(g, E_DUCK, status[DUCKING]);
}

function aim(g) {
  const { body, status } = g;
  let found = 0;
  for (const thing of g.things) {
    if (thing[MODE] !== GONE && thing[KIND] <= BULLET) {
      const near = Math.abs(thing[X] - body[X]) < NEAR_ENEMY;
      if (near && Math.abs(thing[Y] - body[Y]) < NEAR_HEIGHT) {
        found = 1;
        break;
      }
    }
  }
  const here = tile_of(body[X]);
  for (let k = 0; k <= NEAR_GAP; k++) {
    const column = here + k * status[FACING];
    if (column >= 0 && column < g.columns && g.cells[(g.rows - 1) * g.columns + column] === AIR) {
      return found + 2;
    }
  }
  return found;
}

function bump(g, height) {
  const { body, status, cells, coins } = g;
  const row = tile_of(body[Y] - height) - 1;
  if (row < 0) return;
  let column = tile_of(body[X]);
  if (!solid(g, row, column)) {
    column = tile_of(body[X] - HALF_WIDTH);
    if (!solid(g, row, column)) {
      column = tile_of(body[X] + HALF_WIDTH);
      if (!solid(g, row, column)) return;
    }
  }
  const at = row * g.columns + column;
  const block = cells[at];
  if (block === BRICK || block === COIN_BLOCK || block === POWER_BLOCK) note(g, E_BUMP, block);
  if (block === COIN_BLOCK) {
    cells[at] = USED;
    status[COINS] += 1;
    note(g, E_COIN, 1);
  } else if (block === POWER_BLOCK) {
    cells[at] = USED;
    spawn(g, MUSHROOM, TILE * column + 8, TILE * row - 1, 1);
  } else if (block === BRICK && status[IS_LARGE]) {
    cells[at] = AIR;
    note(g, E_BREAK, 0);
  }
  if (row > 0 && block !== SOLID && coins[at - g.columns]) {
    coins[at - g.columns] = 0;
    status[COINS] += 1;
    note(g, E_COIN, 0);
  }
}

function solid(g, row, column) {
  return column >= 0 && column < g.columns && g.cells[row * g.columns + column] !== AIR;
}

function collect(g, height) {
  const { body, status, coins } = g;
  const first = tile_of(body[X] - HALF_WIDTH);
  const last = tile_of(body[X] + HALF_WIDTH);
  const top = tile_of(body[Y] - height + 1);
  const bottom = tile_of(body[Y]);
  for (let row = Math.max(top, 0); row <= Math.min(bottom, g.rows - 1); row++) {
    for (let column = Math.max(first, 0); column <= Math.min(last, g.columns - 1); column++) {
      if (coins[row * g.columns + column]) {
        coins[row * g.columns + column] = 0;
        status[COINS] += 1;
        note(g, E_COIN, 0);
      }
    }
  }
}

function hurt(g, cause) {
  const { status } = g;
  if (status[SAFE] > 0) return;
  if (status[IS_LARGE]) {
    status[IS_LARGE] = 0;
    status[DUCKING] = 0;
    status[SAFE] = HURT_TICKS;
    note(g, E_HURT, cause);
    note(g, E_POWER, 0);
  } else {
    die(g, cause);
  }
}

function spawn(g, kind, x, y, side) {
  for (let i = g.status[SLOT]; i < g.things.length; i++) {
    const thing = g.things[i];
    if (thing[MODE] === GONE) {
      for (let k = 0; k < THING; k++) thing[k] = 0;
      thing[X] = x;
      thing[Y] = y;
      thing[VY] = RESTING;
      thing[KIND] = kind;
      thing[MODE] = AWAKE;
      thing[SIDE] = side;
      return;
    }
  }
}

function move_thing(g, i) {
  const { body } = g;
  const thing = g.things[i];
  const kind = thing[KIND];
  if (kind === CANNON) {
    fire(g, thing);
    return;
  }
  if (kind === FLOWER) {
    grow(body, thing);
  } else if (kind === BULLET) {
    thing[X] += FLYING * thing[SIDE];
    if (Math.abs(thing[X] - body[X]) > LOST) {
      thing[MODE] = GONE;
      return;
    }
  } else {
    if (thing[MODE] === ASLEEP) {
      if (Math.abs(thing[X] - body[X]) >= WAKE) return;
      thing[MODE] = AWAKE;
    }
    walk(g, thing);
    if (thing[Y] > TILE * g.rows + 32) {
      thing[MODE] = GONE;
      return;
    }
  }
  if (thing[MODE] === SLIDING) knock(g, i);
  touch(g, thing);
}

function fire(g, thing) {
  const distance = g.body[X] - thing[X];
  if (Math.abs(distance) > FIRE_FAR) return;
  if (thing[TIMER] > 0) {
    thing[TIMER] -= 1;
  } else if (Math.abs(distance) > FIRE_NEAR) {
    thing[TIMER] = FIRE_EVERY;
    const side = distance > 0 ? 1 : -1;
    spawn(g, BULLET, thing[X] + 8 * side, thing[Y], side);
  }
}

function grow(body, thing) {
  let time = thing[TIMER];
  const shy = Math.abs(thing[X] - body[X]) < FLOWER_SHY;
  if (!(time === FLOWER_UP - 1 && shy)) {
    time = time + 1;
    if (time === FLOWER_CYCLE) time = 0;
    thing[TIMER] = time;
  }
  let out = 0;
  if (time >= FLOWER_DOWN) out = FLOWER_RISE * (FLOWER_CYCLE - time);
  else if (time >= FLOWER_TOP) out = TALL;
  else if (time >= FLOWER_UP) out = FLOWER_RISE * (time - FLOWER_UP);
  thing[Y] = thing[HOME] + TALL - out;
}

function walk(g, thing) {
  let speed = WALKING;
  if (thing[MODE] === SLIDING) {
    speed = SLIDING_SPEED;
    if (thing[TIMER] > 0) thing[TIMER] -= 1;
  } else if (thing[MODE] === SHELL) {
    speed = 0;
  }
  if (thing[KIND] === RED && thing[MODE] === AWAKE && thing[GROUNDED]) {
    const ahead = thing[X] + thing[SIDE] * (HALF_WIDTH + 2);
    if (!wall(g, ahead, thing[Y] + 1)) thing[SIDE] = -thing[SIDE];
  }
  thing[GROUNDED] = 0;
  if (speed > 0) {
    thing[VX] = speed * thing[SIDE];
    move(g, thing, thing[VX], 0, LOW);
    if (thing[VX] === 0 || thing[X] < 0) {
      thing[X] = Math.max(thing[X], 0);
      thing[SIDE] = -thing[SIDE];
    }
  }
  move(g, thing, 0, thing[VY], LOW);
  thing[VY] *= DRAG;
  if (!thing[GROUNDED]) thing[VY] += GRAVITY;
}

function knock(g, i) {
  const shell = g.things[i];
  for (let k = 0; k < g.things.length; k++) {
    const other = g.things[k];
    if (k === i || other[MODE] === GONE || other[KIND] > BULLET) continue;
    const near = Math.abs(other[X] - shell[X]) < REACH;
    if (near && Math.abs(other[Y] - shell[Y]) < LOW) {
      other[MODE] = GONE;
      note(g, E_SHELL, other[KIND]);
    }
  }
}

function touch(g, thing) {
  const { body, status } = g;
  const kind = thing[KIND];
  const reach = kind === FLOWER ? FLOWER_REACH : REACH;
  if (Math.abs(body[X] - thing[X]) >= reach) return;
  const above = body[Y] - thing[Y];
  const tall = kind === FLOWER ? TALL : LOW;
  if (above <= -tall || above >= player_height(status)) return;
  if (kind === MUSHROOM) {
    thing[MODE] = GONE;
    note(g, E_ITEM, 0);
    if (!status[IS_LARGE]) {
      status[IS_LARGE] = 1;
      status[DUCKING] = 1;
      note(g, E_POWER, 1);
    }
    return;
  }
  if (kind === FLOWER) {
    if (thing[Y] - TALL < thing[HOME] - 4) hurt(g, FLOWER);
    return;
  }
  if (body[VY] > 0 && above <= 0 && !(body[GROUNDED] && status[STOOD])) {
    stomp(g, thing);
  } else if (thing[MODE] === SHELL) {
    kick(g, thing);
  } else if (thing[MODE] === SLIDING) {
    if (thing[TIMER] <= 0) hurt(g, BY_SHELL);
  } else {
    hurt(g, kind);
  }
}

function kick(g, thing) {
  thing[MODE] = SLIDING;
  thing[TIMER] = KICK_TICKS;
  thing[SIDE] = g.body[X] <= thing[X] ? 1 : -1;
  note(g, E_KICK, thing[KIND]);
}

function stomp(g, thing) {
  const { body, status } = g;
  const kind = thing[KIND];
  body[VY] = -JUMP_SPEED * STOMP_RISE;
  body[RISING] = STOMP_RISE;
  if (status[SAFE] < 2) status[SAFE] = 2;
  if (thing[MODE] === SHELL) {
    kick(g, thing);
  } else if (thing[MODE] === SLIDING) {
    thing[MODE] = SHELL;
    thing[VX] = 0;
  } else {
    thing[MODE] = kind === GREEN || kind === RED ? SHELL : GONE;
    note(g, E_STOMP, kind);
  }
}
