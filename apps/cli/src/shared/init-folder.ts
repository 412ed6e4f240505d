import { chmodSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_PRESETS, type DetectedAgent } from "@quasar/agents/presets";
import { createOnce, replaceFile } from "@quasar/durable";
import { isRealFolder } from "@quasar/runs/internal";
import { cleanLine } from "@quasar/runs/text";
import { agentWords, notInstalled } from "./doctor/agents.ts";
import { labelled, type View } from "./output/text.ts";

/** What became of the files of a repository's settings, by their paths in the work tree. */
export interface InitializedFolder {
  readonly created: readonly string[];
  /** They were there: such a file is never touched. */
  readonly kept: readonly string[];
}

/**
 * Makes the folder of a program's settings for a repository. Git passes over all but the settings themselves, which a
 * team shares.
 *
 * @param name - Of the folder in the work tree's root.
 * @param config - The text of its `config.toml`.
 * @throws {CliError} `ERR_UNSAFE_PATH` where something else stands there.
 */
export function initFolder(root: string, name: string, config: string): InitializedFolder {
  const folder = join(root, name);
  if (!isRealFolder(folder)) mkdirSync(folder, { mode: 0o755 });
  const files = { "config.toml": config, ".gitignore": IGNORED };
  const paths = Object.keys(files).map((file) => join(name, file));
  const created = Object.entries(files)
    .filter(([file, text]) => createOnce(join(folder, file), Buffer.from(text), 0o644))
    .map(([file]) => join(name, file));
  shareSettings(join(folder, ".gitignore"));
  return { created, kept: paths.filter((path) => !created.includes(path)) };
}

const IGNORED = "*\n!config.toml\n!.gitignore\n";

/** What a run or an earlier version has written there: without the settings, or without the file itself. */
const NARROWER: readonly string[] = ["*\n", "*\n!config.toml\n"];

function shareSettings(gitignore: string): void {
  if (!lstatSync(gitignore).isFile()) return;
  const text = readFileSync(gitignore, "utf8");
  if (NARROWER.includes(text)) {
    replaceFile(gitignore, Buffer.from(IGNORED), { keepPrevious: false });
    chmodSync(gitignore, 0o644);
  }
}

/** @param changed - A file that was there already, into which what was confirmed is written. */
export function folderLines(
  { created, kept }: InitializedFolder,
  changed: string | undefined,
  view: View,
): readonly string[] {
  const left = kept.filter((path) => path !== changed);
  const isChanged = left.length < kept.length;
  return [
    ...(created.length === 0 ? [] : labelled(view, "created", created.join(", "), "green")),
    ...(isChanged ? labelled(view, "changed", `${changed} (your choice is in it)`, "green") : []),
    ...(left.length === 0 ? [] : labelled(view, "kept", `${left.join(", ")} (already there)`)),
  ];
}

/** Which of the agents are here, and whether somebody is logged in. */
export function agentLines(agents: readonly DetectedAgent[], view: View): readonly string[] {
  const others = AGENT_PRESETS.filter(({ name }) => agents.every(({ kind }) => kind !== name));
  return [
    ...agents.flatMap((agent) => labelled(view, agent.kind, cleanLine(agentWords(agent)))),
    ...(others.length === 0 ? [] : labelled(view, "agents", notInstalled(others))),
  ];
}
