// Compile story.ink, story.twee and story.yarn of a folder with those tools' own compilers, walk
// every choice to its end and print how many endings there are and what was read.
import { createRequire } from "module";
import { readFileSync } from "fs";
import { join } from "path";

const [folder, modules] = process.argv.slice(2);
const require = createRequire(join(modules, "package.json"));
const read = (name) => readFileSync(join(folder, name), "utf8");

function ink() {
  const { Compiler } = require("inkjs/full");
  const problems = [];
  const compiler = new Compiler(read("story.ink"), null);
  const story = compiler.Compile();
  problems.push(...(compiler.errors || []), ...(compiler.warnings || []));
  const endings = [];
  const walk = (text) => {
    while (story.canContinue) text += story.Continue();
    const count = story.currentChoices.length;
    if (count === 0) endings.push(text);
    const saved = story.state.toJson();
    for (let i = 0; i < count; i++) {
      story.state.LoadJson(saved);
      story.ChooseChoiceIndex(i);
      walk(text);
    }
  };
  walk("");
  return { endings, problems };
}

async function twee() {
  const { parseTwee } = await import(require.resolve("extwee"));
  const story = parseTwee(read("story.twee"));
  const passages = new Map(story.passages.map((p) => [p.name, p.text]));
  const endings = [];
  const problems = [];
  const walk = (name, text) => {
    if (!passages.has(name)) return problems.push(`no passage ${name}`);
    const body = passages.get(name);
    const links = [...body.matchAll(/\[\[(.*?)->(.*?)\]\]/g)];
    text += body.replace(/\[\[.*?\]\]/g, "");
    if (links.length === 0) endings.push(text);
    for (const link of links) walk(link[2], text);
  };
  walk(story.start, "");
  return { endings, problems, ifid: story.IFID };
}

function yarn() {
  const YarnBound = require("yarn-bound");
  const make = YarnBound.default || YarnBound;
  const endings = [];
  const follow = (choices) => {
    const runner = new make({ dialogue: read("story.yarn"), startAt: "start" });
    let text = "";
    let at = 0;
    for (let steps = 0; steps < 10000; steps++) {
      const now = runner.currentResult;
      if (now === undefined || now === null) break;
      if (now.options) {
        if (now.text) text += now.text + "\n";
        if (at === choices.length) {
          now.options.forEach((_, i) => follow([...choices, i]));
          return;
        }
        runner.advance(choices[at++]);
      } else {
        text += (now.text || "") + "\n";
        if (now.isDialogueEnd) break;
        runner.advance();
      }
    }
    endings.push(text);
  };
  follow([]);
  return { endings, problems: [] };
}

console.log(JSON.stringify({ ink: ink(), twee: await twee(), yarn: yarn() }));
