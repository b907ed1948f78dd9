// node run_game.mjs engine.mjs < jobs.json: plays recorded keys; prints a digest after each tick.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { begin, tick, constants } = await import(pathToFileURL(process.argv[2]).href);
const bytes = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function play({ world, runs }) {
  const game = begin(world);
  const digests = [];
  for (const [keys, ticks] of runs) {
    for (let i = 0; i < ticks && game.status[constants.OUTCOME] === constants.PLAYING; i++) {
      tick(game, keys);
      const hash = createHash("md5");
      for (const part of [game.body, Float64Array.from(game.status), ...game.things]) {
        hash.update(bytes(part));
      }
      hash.update(bytes(game.cells));
      hash.update(bytes(game.coins));
      digests.push(hash.digest("hex").slice(0, 8));
    }
  }
  return { digests, events: game.events };
}

const jobs = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify({ constants, games: jobs.map(play) }));
