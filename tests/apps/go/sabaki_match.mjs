// Games between two engines through the library by which Sabaki talks to engines: every move by
// an analysing genmove, the position kept by its sync, a live analysis of each tenth position
// that the next command ends.  Prints what was refused and how many lines of analysis came.
import { createRequire } from "module";
import { join } from "path";

const [modules, job] = process.argv.slice(2);
const { commands, games, size } = JSON.parse(job);
const { Controller, ControllerStateTracker } = createRequire(join(modules, "package.json"))(
  "@sabaki/gtp",
);
const engines = commands.map(([path, ...args]) => new Controller(path, args));
const trackers = engines.map((engine) => new ControllerStateTracker(engine));
const refused = [];
const lengths = [];
let infos = 0;

async function send(engine, name, args, subscriber) {
  const response = await engine.sendCommand({ name, args }, subscriber);
  if (response.error) refused.push(`${name} ${args}: ${response.content}`);
  return response;
}

for (let game = 0; game < games; game++) {
  const history = [];
  for (let passes = 0; passes < 2 && history.length < 3 * size * size; ) {
    const colour = "BW"[history.length % 2];
    const mover = (game + history.length) % 2;
    const state = { komi: 7.5, boardsize: [size, size], history: [...history] };
    const synced = trackers.map((tracker) => tracker.sync(state));
    await Promise.all(synced.map((done) => done.catch((error) => refused.push(error.message))));
    if (history.length % 10 === 0) {
      let seen;
      const first = new Promise((resolve) => (seen = resolve));
      const stream = send(engines[mover], "lz-analyze", [colour, "5"], ({ line }) => {
        if (line.startsWith("info move")) seen(infos++);
      });
      await first;
      await send(engines[mover], "name", []);
      await stream;
    }
    let vertex;
    await send(engines[mover], "lz-genmove_analyze", [colour, "1"], ({ line }) => {
      if (line.includes("info move")) infos++;
      if (line.startsWith("play ")) vertex = line.slice(5).trim();
    });
    if (vertex === undefined) throw new Error(`no move in game ${game}: ${refused}`);
    if (vertex === "resign") break;
    passes = vertex === "pass" ? passes + 1 : 0;
    history.push({ name: "play", args: [colour, vertex] });
  }
  lengths.push(history.length);
}
await Promise.all(engines.map((engine) => engine.stop()));
console.log(JSON.stringify({ refused, infos, lengths }));
