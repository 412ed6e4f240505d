import { type DetectedAgent } from "@quasar/agents/presets";
import { join } from "node:path";
import { openUser, openWorkspace, FOLDER } from "@quasar/runs/internal";
import { jsonLine } from "@quasar/runs/text";
import { result } from "../../shared/output/json.ts";
import { loginSteps } from "../../shared/agent-programs.ts";
import { QUASAR } from "../../shared/config/layers.ts";
import { DEFAULT_AGENT, type Settings, SETTINGS } from "../../shared/config/settings.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import {
  agentToUse,
  checkLines,
  type InitConfig,
  initConfig,
  type Initialized,
} from "../../shared/init-config.ts";
import { agentLines, folderLines } from "../../shared/init-folder.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import type { InitLine } from "../../shared/schemas/init.ts";

export interface InitOptions {
  readonly yes?: true | undefined;
  readonly json?: true | undefined;
}

const PREFACE = `# Settings of quasar for this repository. What is commented out is as it is when nothing is said.
# Flags and QUASAR_* variables win over this file; this file wins over the user's own.
# Where a value runs a program or raises the budget above the default, quasar asks once:
# repeat the command with --trust-config after such a change.
# What agents may do is not for a repository to say: see docs/trust.md.
`;

/** What \`quasar init\` writes. */
export const CONFIG: InitConfig<Settings> = {
  folder: FOLDER,
  preface: PREFACE,
  settings: SETTINGS,
  reader: QUASAR,
  valuesOf(checks) {
    const of = (wanted: "lint" | "test"): string[] =>
      checks.filter(({ kind }) => kind === wanted).map(({ command }) => command);
    const [lint, filter] = [of("lint"), of("test")];
    return { ...(lint.length > 0 && { lint }), ...(filter.length > 0 && { filter }) };
  },
};

/** `quasar init`: looks for the project's checks and for agents, and writes the repository's settings. */
export async function initCommand(options: InitOptions): Promise<ExitCode> {
  const { root } = await openWorkspace(process.cwd());
  const isJson = options.json === true;
  const view = viewOf(process.stdout);
  const { folder, agents, isOpen, areShown, ...found } = await initConfig(CONFIG, {
    ...{ root, stateDir: openUser().folders.state },
    ...{ yes: options.yes === true, asks: !isJson, view },
  });
  const next = nextSteps(agentToUse(agents), {
    ...found,
    isOpen: isOpen && found.checks.length > 0,
  });
  if (isJson) {
    const facts = { workTree: root, created: folder.created, agents, ...found };
    const line = result("init", facts, EXIT.ok, next) satisfies InitLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  write(process.stdout, [
    ...folderLines(folder, found.confirmed ? join(CONFIG.folder, "config.toml") : undefined, view),
    ...(areShown ? [] : checkLines(found, view)),
    ...agentLines(agents, view),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

const SHARE = `git add ${FOLDER} && git commit -m "Add quasar settings"   # shares them`;

function nextSteps(
  agent: DetectedAgent | undefined,
  { isOpen, confirmed }: Pick<Initialized, "isOpen" | "confirmed">,
): readonly string[] {
  const use = isOpen ? ["quasar init --yes   # uses these checks"] : [];
  if (agent === undefined) {
    return [...use, "quasar demo", "quasar agents   # says what installs each", SHARE];
  }
  const { kind } = agent;
  return [
    ...use,
    ...loginSteps(agent),
    kind === DEFAULT_AGENT || confirmed
      ? 'quasar run "…"'
      : `quasar run "…" --coder ${kind} --reviewer ${kind}`,
    SHARE,
  ];
}
