import { type DetectedAgent, detectAgents } from "@quasar/agents";
import { FOLDER } from "../config/files.ts";
import { SETTING_NAMES, SETTINGS } from "../config/settings.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { agentLines, folderLines, initFolder } from "../init-folder.ts";
import { jsonLine } from "../output/clean.ts";
import { JSON_VERSION, viewOf, write } from "../output/reporter.ts";
import { nextLines } from "../output/text.ts";
import { openWorkspace } from "../workspace.ts";

export interface InitOptions {
  readonly json?: true | undefined;
}

/** `quasar init`: writes the repository's settings, all commented out, and looks for agents. */
export async function initCommand(options: InitOptions): Promise<ExitCode> {
  const { root } = await openWorkspace(process.cwd());
  const folder = initFolder(root, FOLDER, configText());
  const agents = await detectAgents();

  if (options.json === true) {
    process.stdout.write(
      jsonLine({ v: JSON_VERSION, type: "init", root, created: folder.created, agents }),
    );
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...folderLines(folder, view),
    ...agentLines(agents, view),
    ...nextLines(nextSteps(agents), view),
  ]);
  return EXIT.ok;
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
