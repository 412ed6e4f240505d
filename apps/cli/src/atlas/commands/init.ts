import { type DetectedAgent } from "@quasar/agents/presets";
import { chmodSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { createOnce, replaceFile } from "@quasar/durable";
import { openRepository } from "@quasar/git";
import { insertAgentText } from "@quasar/hookfile/hook-md";
import { jsonLine } from "@quasar/runs/text";
import { loginSteps } from "../../shared/agent-programs.ts";
import { ask, canAsk, isYes } from "../../shared/ask.ts";
import { DEFAULT_AGENT } from "../../shared/config/settings.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { agentToUse, checkLines, initConfig } from "../../shared/init-config.ts";
import { agentLines, folderLines, type InitializedFolder } from "../../shared/init-folder.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { readInput } from "../../shared/read-input.ts";
import type { Given } from "../command.ts";
import { CONFIG } from "../config/config-text.ts";
import { openInstallation } from "../installation.ts";
import type { InitLine } from "../schemas/others.ts";

/** What became of a file for agents. */
interface Instructed {
  readonly file: string;
  readonly how: "added" | "there already" | "not added" | "not ours to change";
}

/** `atlas init`: the repository's settings, all commented out; and a word to agents, if wanted. */
export async function initCommand(given: Given): Promise<ExitCode> {
  const { root } = await openRepository(process.cwd());
  const isJson = given.json === true;
  const view = viewOf(process.stdout);
  const { folder, agents, isOpen, areShown, ...found } = await initConfig(CONFIG, {
    ...{ root, stateDir: openInstallation().home },
    ...{ yes: given.yes === true, asks: !isJson, view },
  });
  const instructed: Instructed[] = [];
  for (const file of agentFiles(root, agents)) {
    instructed.push({ file, how: await instruct(join(root, file), file, given) });
  }
  const next = nextSteps(agentToUse(agents), folder, instructed, isOpen && found.checks.length > 0);
  if (isJson) {
    const line = { workTree: root, created: folder.created, agents, ...found, instructed };
    process.stdout.write(jsonLine(result("init", line, EXIT.ok, next) satisfies InitLine));
    return EXIT.ok;
  }
  write(process.stdout, [
    ...folderLines(folder, found.confirmed ? join(CONFIG.folder, "config.toml") : undefined, view),
    ...(areShown ? [] : checkLines(found, view)),
    ...instructed.flatMap(({ file, how }) => labelled(view, "file", `${file}: ${how}`)),
    ...agentLines(agents, view),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

const CLAUDE = "CLAUDE.md";
const AGENTS = "AGENTS.md";

/** Those that are there; where none is, the one that the agents here read. */
function agentFiles(root: string, agents: readonly DetectedAgent[]): readonly string[] {
  const isThere = (name: string): boolean =>
    lstatSync(join(root, name), { throwIfNoEntry: false }) !== undefined;
  const there = [CLAUDE, AGENTS].filter(isThere);
  if (there.length > 0) return there;
  return [agents.some(({ kind }) => kind === "claude") ? CLAUDE : AGENTS];
}

const MAX_BYTES = 4 * 1024 * 1024;

async function instruct(path: string, file: string, given: Given): Promise<Instructed["how"]> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile()) return "not ours to change";
  const text =
    readInput(path, { maxBytes: MAX_BYTES, code: "ERR_UNSAFE_PATH", keepMark: true }) ?? "";
  const instructed = insertAgentText(text);
  if (instructed === text) return "there already";
  if (!(given.yes ?? (await isWanted(file)))) return "not added";
  const bytes = Buffer.from(instructed);
  if (stat === undefined) {
    createOnce(path, bytes, 0o644);
  } else {
    replaceFile(path, bytes, { keepPrevious: false });
    chmodSync(path, stat.mode & 0o777);
  }
  return "added";
}

async function isWanted(file: string): Promise<boolean> {
  const question = `Add to ${file} how an agent finds its task after a crash? [y/N] `;
  return canAsk() && isYes(await ask(question));
}

function nextSteps(
  agent: DetectedAgent | undefined,
  folder: InitializedFolder,
  instructed: readonly Instructed[],
  isOpen: boolean,
): readonly string[] {
  const settings = folder.created.length > 0 ? [CONFIG.folder] : [];
  const told = instructed.filter(({ how }) => how === "added").map(({ file }) => file);
  const files = [...settings, ...told];
  const isMissing = instructed.some(({ how }) => how === "not added");
  const what = [...(isMissing ? ["adds it"] : []), ...(isOpen ? ["uses these checks"] : [])];
  const add = [
    ...(files.length > 0
      ? [
          `git add ${files.join(" ")} && git commit -m "Add atlas settings"   # a task has what is committed`,
        ]
      : []),
    ...(what.length > 0 ? [`atlas init --yes   # ${what.join(", ")}`] : []),
  ];
  if (agent === undefined) {
    return ["atlas agents   # says what installs each", ...add];
  }
  const who = agent.kind === DEFAULT_AGENT ? "" : ` --coder ${agent.kind} --reviewer ${agent.kind}`;
  return [...loginSteps(agent), ...add, `atlas start "…"${who}`];
}
