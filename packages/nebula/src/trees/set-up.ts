import { createHash } from "node:crypto";
import { join } from "node:path";
import { readWholeFile, replaceFile } from "@quasar/durable";
import type { Repository } from "@quasar/git";
import { makeFolders } from "@quasar/process/files";
import type { Engine } from "../engine/context.ts";
import { NebulaError } from "../errors.ts";
import { runShell } from "../landing/run-shell.ts";
import type { NebulaSpec } from "../spec/types.ts";

/** What setup commands are taken to read where a nebula names nothing: lockfiles and manifests. */
const INPUTS = [
  ...["package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"],
  ...["Cargo.toml", "Cargo.lock", "go.mod", "go.sum", "pyproject.toml", "uv.lock"],
  ...["poetry.lock", "requirements.txt", "Gemfile.lock", "composer.lock"],
];

const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/**
 * What the setup of a work tree depends on: its commands, and the files that they read. An input that is no file of
 * usual size counts as one that is missing.
 */
export function setupDigest(
  { execution }: NebulaSpec,
  path: string,
  commands: readonly string[] = execution.setup,
): string {
  const hash = createHash("sha256").update(JSON.stringify(commands));
  for (const name of execution.setupInputs ?? INPUTS) {
    const bytes = inputOf(join(path, name));
    hash.update(JSON.stringify([name, bytes?.length ?? -1])).update(bytes ?? "");
  }
  return hash.digest("hex");
}

function inputOf(file: string): Uint8Array | undefined {
  try {
    return readWholeFile(file, { maxBytes: MAX_INPUT_BYTES });
  } catch {
    return undefined;
  }
}

export interface SetUpOptions {
  readonly commands: readonly string[];
  /** Whether it is done again in a tree that was set up: `changed`, where what the commands read has. @default never */
  readonly again?: "always" | "changed" | undefined;
}

/**
 * Runs the commands that make a work tree ready, once, and notes it in the tree's git folder.
 *
 * @throws {NebulaError} `ERR_SETUP`
 */
export async function setUp(
  engine: Engine,
  { root: path, gitDir }: Pick<Repository, "root" | "gitDir">,
  { commands, again }: SetUpOptions,
): Promise<void> {
  if (commands.length === 0) return;
  const folder = join(gitDir, "quasar", "setup");
  const note = join(folder, "done");
  const noted = Buffer.from(readWholeFile(note, { maxBytes: 256 }) ?? []).toString();
  const digestNow = (): string => setupDigest(engine.spec, path, commands);
  const isKnown = noted !== "" && again !== "always";
  if (isKnown && (again === undefined || noted === digestNow())) return;
  makeFolders(folder);
  for (const command of commands) {
    const { end, tail } = await runShell(engine, { command, path, dir: folder });
    if (end.exitCode === 0) continue;
    throw new NebulaError("ERR_SETUP", `setup: ${command} exit ${end.exitCode}: ${tail}`);
  }
  replaceFile(note, Buffer.from(digestNow()), { keepPrevious: false });
}
