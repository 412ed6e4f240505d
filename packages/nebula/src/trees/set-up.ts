import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readWholeFile, replaceFile } from "@quasar/durable";
import { openRepository } from "@quasar/git";
import type { Engine } from "../engine/context.ts";
import { runShell } from "../landing/run-shell.ts";
import { NebulaError } from "../errors.ts";

/** What is set up by default where it differs from the last time: lockfiles and manifests. */
const INPUTS = [
  "package.json",
  "package-lock.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "Cargo.toml",
  "Cargo.lock",
  "go.mod",
  "go.sum",
  "pyproject.toml",
  "uv.lock",
  "poetry.lock",
  "requirements.txt",
  "Gemfile.lock",
  "composer.lock",
];

/** What the setup of a tree depends on: its commands, and the files that they read. */
export function setupDigest(path: string, commands: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(commands));
  for (const name of INPUTS) {
    const file = join(path, name);
    const bytes = existsSync(file) ? readWholeFile(file, { maxBytes: 2 ** 26 }) : undefined;
    hash.update(JSON.stringify([name, bytes?.length ?? -1])).update(bytes ?? "");
  }
  return hash.digest("hex");
}

/**
 * Runs the commands that a new work tree needs, and again where what they read has changed.
 *
 * @throws {NebulaError} `ERR_USAGE` where one fails: nothing can be worked on without it.
 */
export async function setUp(engine: Engine, path: string): Promise<void> {
  const { setup } = engine.spec.execution;
  if (setup.length === 0) return;
  const { gitDir } = await openRepository(path);
  const note = join(gitDir, "quasar", "setup");
  const digest = setupDigest(path, setup);
  if (Buffer.from(readNote(note)).toString() === digest) return;
  for (const command of setup) {
    const outputs = join(gitDir, "quasar", "setup-output");
    mkdirSync(outputs, { recursive: true, mode: 0o700 });
    const ran = await runShell(engine, { command, path, dir: outputs });
    if (ran.exitCode !== 0) {
      const message = `the setup failed with ${ran.exitCode}: ${command}\n${ran.tail}`;
      throw new NebulaError("ERR_USAGE", message);
    }
  }
  replaceFile(note, Buffer.from(setupDigest(path, setup)), { keepPrevious: false });
}

function readNote(note: string): Uint8Array {
  return readWholeFile(note, { maxBytes: 256 }) ?? new Uint8Array();
}
