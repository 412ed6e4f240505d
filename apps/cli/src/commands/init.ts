import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DetectedAgent, detectAgents } from "@quasar/agents";
import { FOLDER, isRealFolder } from "../config/files.ts";
import { SETTING_NAMES, SETTINGS } from "../config/settings.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { cleanLine, jsonLine } from "../output/clean.ts";
import { JSON_VERSION, viewOf, write } from "../output/reporter.ts";
import { labelled, nextLines } from "../output/text.ts";
import { codeOf } from "../read-input.ts";
import { openWorkspace } from "../workspace.ts";

export interface InitOptions {
  readonly json?: true | undefined;
}

/** The agents that are looked for. */
const AGENTS: readonly DetectedAgent["kind"][] = ["claude", "codex"];

/** `quasar init`: writes the repository's settings, all commented out, and looks for agents. */
export async function initCommand(options: InitOptions): Promise<ExitCode> {
  const { root } = await openWorkspace(process.cwd());
  const folder = join(root, FOLDER);
  if (!isRealFolder(folder)) mkdirSync(folder, { mode: 0o755 });
  const files = { "config.toml": configText(), ".gitignore": "*\n" };
  const created = Object.entries(files)
    .filter(([name, text]) => createFile(join(folder, name), text))
    .map(([name]) => join(FOLDER, name));
  const agents = await detectAgents();

  if (options.json === true) {
    process.stdout.write(jsonLine({ v: JSON_VERSION, type: "init", root, created, agents }));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const kept = Object.keys(files)
    .map((name) => join(FOLDER, name))
    .filter((name) => !created.includes(name));
  write(process.stdout, [
    ...(created.length > 0 ? labelled(view, "created", created.join(", "), "green") : []),
    ...(kept.length > 0 ? labelled(view, "kept", `${kept.join(", ")} (already there)`) : []),
    ...AGENTS.flatMap((kind) => labelled(view, kind, versionOf(kind, agents))),
    ...nextLines(nextSteps(agents), view),
  ]);
  return EXIT.ok;
}

function versionOf(kind: DetectedAgent["kind"], agents: readonly DetectedAgent[]): string {
  const found = agents.find((agent) => agent.kind === kind);
  if (found === undefined) return "not installed";
  return found.version === "" ? "installed, does not tell its version" : cleanLine(found.version);
}

function nextSteps([agent]: readonly DetectedAgent[]): readonly string[] {
  if (agent === undefined) {
    return [
      "quasar demo",
      "install Claude Code or Codex, or set coder and reviewer to command:<command line>",
    ];
  }
  const { kind } = agent;
  return [
    kind === "claude" ? 'quasar run "…"' : `quasar run "…" --coder ${kind} --reviewer ${kind}`,
  ];
}

/** Whether the file was made; one that is there is never touched. */
function createFile(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o644 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

const PREFACE = `# Settings of quasar for this repository, as they are when nothing is said.
# Flags and QUASAR_* variables win over this file; this file wins over the user's own.
# Where a value runs a program or raises the budget above the default, quasar asks once:
# repeat the command with --trust-config after such a change.
`;

/** The file that \`quasar init\` writes: every setting, with its meaning and its default. */
export function configText(): string {
  const entries = SETTING_NAMES.map((name) => {
    const { key, help, fallback } = SETTINGS[name];
    return `# ${help}\n# ${key} = ${JSON.stringify(fallback)}\n`;
  });
  return [PREFACE, ...entries].join("\n");
}
