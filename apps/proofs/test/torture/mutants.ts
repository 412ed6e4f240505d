import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Kill, parseKill, type Tortured } from "@quasar/torture";
import { onTestFinished } from "vitest";

/** The command as it is shipped. */
export const MAIN: string = fileURLToPath(new URL("../../../cli/dist/main.js", import.meta.url));

/** A promise that is broken in the text of the built command, and a kill that has to show it. */
export interface Mutant {
  readonly name: string;
  /**
   * Stands in what was built of each program that has it. The bundler gives some names a number, and another one
   * in each program.
   */
  readonly text: RegExp;
  /** As in `String.replace`: `$1` is the first group of `text`. */
  readonly instead: string;
  /** How often it stands in both programs together. A copy that stayed whole would keep the promise. */
  readonly programs: 1 | 2;
  /** One of them has to show it: the kills of each, one after the other. What happens side by side has no fixed order. */
  readonly trials: readonly (readonly [string, ...string[]])[];
  /** Which law has to be seen broken. */
  readonly law: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "adoption is off",
    text: /if \(agent\d*\.adopt === void 0\) return void 0;/g,
    programs: 2,
    instead: "return void 0;",
    trials: [["runner at asked coder 1, step 1 #1"]],
    law: "ledger",
  },
  {
    name: "trailers are ignored",
    text: /const marked = commits\d*\.filter\(\(commit\d*\) => isMarked\(commit\d*, checkpoint\d*\)\);/g,
    programs: 2,
    instead: "const marked = [];",
    trials: [["runner at ended git commit #1"]],
    law: "refused",
  },
  {
    name: "what a lost turn may have cost unseen is dropped",
    text: /const known = settledCost\(found, state(\d*)\.turn\?\.reservedUsd \?\? 0\);/g,
    programs: 2,
    instead:
      "const known = settledCost({ ...found, unknownUsd: 0 }, state$1.turn?.reservedUsd ?? 0);",
    trials: [["everything at asked coder 1, step 1 #1"]],
    law: "ledger",
  },
  {
    name: "snapshots go through the real index",
    text: /const \{ head \} = await statusHead\(workTree, output, \{ signal \}\);/g,
    programs: 2,
    // Not the one that every run with uncommitted work begins with: the twin has that, too.
    instead:
      'const { head } = await statusHead(workTree, output, { signal }); if (message.startsWith("uncommitted work")) await gitOutput("write", workTree, ["add", "-A"]);',
    trials: [["everything at asked coder 1, step 1 #1"]],
    law: "tree",
  },
  {
    name: "the agent's process is not saved",
    text: /run\d*\.state = nameProcess\(run\d*\.state, process\d*\);/g,
    programs: 2,
    instead: "",
    trials: [["runner at asked coder 1, step 1 #1"]],
    law: "repeated",
  },
  {
    name: "the journal comes after the save",
    text: /(const event\d* = (run\d*)\.record\(done\d*\);)\n( *const failure\d* = await \2\.saveTurn\(\);)/g,
    instead: "$3\n$1",
    programs: 2,
    trials: [["runner at write work/.git/quasar/runs/*/events.jsonl #5"]],
    law: "journal",
  },
];

export const ATLAS_MUTANTS: readonly Mutant[] = [
  {
    name: "an ended run of agents is not archived",
    text: /if \(loaded !== void 0\) await archive\.save\(noted\(loaded\.checkpoint\)\);/g,
    programs: 2,
    instead: "",
    trials: [
      [
        "runner at rename home/.atlas/workspaces/fix-null-pointer-in-*/tasks/task-*/artifacts/steps/analyze-1.md #1",
      ],
    ],
    law: "refused",
  },
  {
    name: "receipts that were signed before a crash are not taken in",
    text: / {4}adoptReceipts\(session\);\n/g,
    programs: 1,
    instead: "",
    trials: [["runner at rename home/.atlas/keys/heads/*-*.json #2"]],
    law: "receipts",
  },
  {
    name: "pull requests that are there are not searched for",
    text: /const open = answer\.value\.find\(\(\{ state \}\) => state === "OPEN"\);/g,
    programs: 1,
    instead: "return { kind: 'ok', value: undefined };",
    trials: [["runner at ended gh #2"]],
    law: "refused",
  },
  {
    name: "opening does not fix HOOK.md",
    text: /if \(!isFile\(wanted\)\) writeHookMd\(wanted\);/g,
    programs: 1,
    instead: "",
    trials: [
      ["runner at rename home/.atlas/workspaces/fix-null-pointer-in-*/tasks/task-*/HOOK.md #1"],
    ],
    law: "stale",
  },
];

const STATE = "rename work/.git/quasar/nebulae/*/state.toml";

/** Of nebulae, which `quasar` alone has. */
export const NEBULA_MUTANTS: readonly Mutant[] = [
  {
    name: "nobody looks whether a candidate is in the branch already",
    text: /await isLanded\(state\d*\)(?=\) continue;\s*syncRef)|await has\(state\d*\.candidate\)/g,
    programs: 2,
    instead: "false",
    trials: [["runner at fsync work/.git/refs/heads/nebula #3"]],
    law: "phases",
  },
  {
    name: "what is approved gets its place in the queue when it lands",
    text: /const place = seq === 0 \? nextSeq\(store\.current\) : seq;/g,
    programs: 1,
    instead: "const place = 0;",
    trials: [[`runner at ${STATE} #25`]],
    law: "sound",
  },
  {
    name: "a landing has the time of the clock",
    text: /atSeconds: await landingDate\(mergeFolder, parents\)/g,
    programs: 2,
    instead: "atSeconds: Date.now() % 1e9",
    trials: [7, 6, 8, 5, 9].map((n) => [`runner at ${STATE} #${n}`] as const),
    law: "sound",
  },
  {
    name: "what is approved is not frozen",
    text: /await holdRef\(engine, name\d*, tip\);/g,
    programs: 1,
    instead: "",
    trials: [[`runner at ${STATE} #25`]],
    law: "sound",
  },
  {
    name: "work trees go before what they hold is in the branch",
    text: /if \(status !== "done" (\|\| !existsSync\d*\(path\d*\)\) continue;[\s\S]*?const isLanded = )[^;]+;/g,
    programs: 1,
    instead: 'if (status !== "done" && status !== "landing" $1true;',
    // The first one leaves a phase in the lane, and the next engine looks at the trees before anything else.
    trials: [
      [
        "runner at fsync work/.git/refs/quasar/nebula/*/candidate #1",
        `runner at ${STATE} #1 in command 2`,
      ],
    ],
    law: "sound",
  },
  {
    name: "a receipt is good for any tree",
    text: /, \{ tree \}(\)\.some\(\(receipt\d*\) => \{\s*if \(receipt\d*\.command !== command\d*\) return false;)[^}]*\}[^}]*\} = [^}]*\}[^}]*\}\);\s*\}\);/g,
    programs: 1,
    instead: "$1 return true; });",
    trials: [[`runner at ${STATE} #25`]],
    law: "sound",
  },
  {
    name: "the branch is moved wherever it is",
    text: /\\0\$\{to\}\\0\$\{old\}\\0/g,
    programs: 1,
    instead: "\\0${to}\\0\\0",
    trials: [[`runner at ${STATE} #25`]],
    law: "landings",
  },
  {
    name: "merges are made where the repository's drivers act",
    text: /GIT_DIR: (folder\d*)\.path,/g,
    programs: 1,
    instead: "GIT_DIR: $1.repository.commonDir,",
    trials: [[`runner at ${STATE} #25`]],
    law: "sound",
  },
];

/** Builds a command with a broken promise, for the time of a test; returns the path of its `main.js`. */
export function brokenQuasar({ name, text, instead, programs }: Mutant): string {
  const dir = mkdtempSync(join(tmpdir(), "quasar-mutant-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const dist = join(dir, "dist");
  cpSync(join(MAIN, ".."), dist, { recursive: true });
  cpSync(join(MAIN, "..", "..", "package.json"), join(dir, "package.json"));
  let copies = 0;
  for (const file of globSync(join(dist, "*.js"))) {
    const built = readFileSync(file, "utf8");
    const inFile = [...built.matchAll(text)].length;
    if (inFile > 0) writeFileSync(file, built.replace(text, instead));
    copies += inFile;
  }
  if (copies !== programs) {
    throw new Error(`${name}: its text is ${copies} times in what was built, not ${programs}`);
  }
  return join(dist, "main.js");
}

/** On a busy machine what a kill is to meet may be over, or not have begun yet: then it shows nothing. */
const MOST_ROUNDS = 3;

/** The laws that the trials of a mutant show broken, until the one that has to be is among them. */
export async function lawsBroken(
  { trials, law }: Mutant,
  torture: (replay: readonly Kill[]) => Promise<Pick<Tortured, "trials">>,
): Promise<readonly string[]> {
  const laws: string[] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    for (const kills of trials) {
      const tortured = await torture(kills.map(killOf));
      laws.push(...tortured.trials.flatMap(({ deviations }) => deviations.map((each) => each.law)));
      if (laws.includes(law)) return laws;
    }
  }
  return laws;
}

export function killOf(text: string): Kill {
  const kill = parseKill(text);
  if (kill === undefined) throw new Error(`${text} is no kill`);
  return kill;
}
