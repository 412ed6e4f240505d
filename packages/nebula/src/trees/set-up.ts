import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { readWholeFile, removeFile, replaceFile } from "@quasar/durable";
import type { Repository } from "@quasar/git";
import { currentProcess } from "@quasar/process";
import { makeFolders, syncFileSystem } from "@quasar/process/files";
import type { Engine } from "../context/context.ts";
import { NebulaError } from "../errors.ts";
import { runShell } from "../commands/run-shell.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { isWhole } from "./whole.ts";

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
  /** Whether a tree that was set up is set up again where what the commands read is other than it was. @default false */
  readonly isRepeated?: boolean | undefined;
}

type Tree = Pick<Repository, "root" | "gitDir">;

/**
 * In the tree's git folder: the digest that it was set up with. It is there only while all that was made is. Where that
 * could not be synced, the machine's start follows, and it counts until the next one.
 */
function doneFile({ gitDir }: Tree): string {
  return join(gitDir, "quasar", "setup", "done");
}

/** What a tree was set up with; `""`: it counts as one that was not. */
function doneDigest(file: string): string {
  const text = Buffer.from(readWholeFile(file, { maxBytes: 256 }) ?? []).toString();
  const [digest = "", boot = bootId()] = text.split(" ");
  return boot === bootId() ? digest : "";
}

function bootId(): string {
  return currentProcess().bootId ?? "unknown";
}

/** Has a work tree count as one that was not set up, durably: call it before anything goes that set-up has made. */
export function forgetSetUp(tree: Tree): void {
  removeFile(doneFile(tree));
}

/**
 * Runs the commands that make a work tree ready, once. One that fails, or dies half-way, has them run again.
 *
 * @throws {NebulaError} `ERR_SETUP`
 */
export async function setUp(
  engine: Engine,
  tree: Tree,
  { commands, isRepeated = false }: SetUpOptions,
): Promise<void> {
  if (commands.length === 0) return;
  const file = doneFile(tree);
  const folder = dirname(file);
  const done = doneDigest(file);
  if (done !== "" && !isRepeated) return;
  const digest = setupDigest(engine.spec, tree.root, commands);
  if (done === digest) return;
  forgetSetUp(tree);
  makeFolders(folder);
  for (const command of commands) {
    const { end, tail, outcome } = await runShell(engine, {
      command,
      path: tree.root,
      dir: folder,
    });
    if (end.exitCode !== 0) {
      throw new NebulaError("ERR_SETUP", `setup: ${command} ${outcome}`);
    }
    if (await isWhole(tree)) continue;
    const what = "removed its work tree or what git has there";
    throw new NebulaError("ERR_SETUP", `setup: ${command} ${what}: ${tail}`);
  }
  const isSynced = await syncFileSystem(tree.root);
  const text = isSynced ? digest : `${digest} ${bootId()}`;
  replaceFile(file, Buffer.from(text), { keepPrevious: false });
}
