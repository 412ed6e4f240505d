import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { CommitSetup } from "@quasar/git/setup";
import { runProgram } from "@quasar/process";
import { findProgram } from "../find-program.ts";
import type { SigningFacts } from "./signing.ts";

type Signing = NonNullable<CommitSetup["signing"]>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Looks for the program and the key that commits are to be signed with. */
export async function lookAtSigning(
  signing: Signing,
  root: string,
  env: Environment,
): Promise<SigningFacts> {
  const home = env["HOME"] || homedir();
  const program = atHome(signing.program, home);
  const hasProgram = program.includes("/")
    ? existsSync(resolve(root, program))
    : findProgram(program, env["PATH"] ?? "") !== undefined;
  return { ...signing, hasProgram, keyState: await keyState(signing, { root, home, env }) };
}

interface Around {
  readonly root: string;
  readonly home: string;
  readonly env: Environment;
}

async function keyState(signing: Signing, around: Around): Promise<SigningFacts["keyState"]> {
  switch (signing.format) {
    case "ssh":
      return sshKeyState(signing, around);
    case "openpgp":
      return openpgpKeyState(signing, around);
    default:
      return "unknown";
  }
}

/** @see git-config(1), "user.signingKey" */
function sshKeyState(
  { key, hasKeyCommand }: Signing,
  { root, home, env }: Around,
): SigningFacts["keyState"] {
  if (key === undefined) return hasKeyCommand ? "unknown" : "missing";
  const inAgent = (env["SSH_AUTH_SOCK"] ?? "") === "" ? "missing" : "unknown";
  if (/^(?:key::|ssh-)/u.test(key)) return inAgent;
  const path = resolve(root, atHome(key, home));
  if (!existsSync(path)) return "missing";
  const secret = path.replace(/\.pub$/u, "");
  return existsSync(secret) ? "here" : inAgent;
}

const TIMEOUT_MS = 5000;

/**
 * Asks for the public key, which is where the secret one is: to ask for that would start an agent. A program that
 * settings name is not started: they may be a repository's.
 */
async function openpgpKeyState(
  { key, program }: Signing,
  { home, env }: Around,
): Promise<SigningFacts["keyState"]> {
  const { GNUPGHOME = "" } = env;
  const folder = isAbsolute(GNUPGHOME) ? GNUPGHOME : join(home, ".gnupg");
  if (!existsSync(folder)) return "missing";
  if (program !== "gpg" || key === undefined) return "unknown";
  const args = ["--batch", "--no-tty", "--no-autostart", "--with-colons", "--list-keys", "--", key];
  const end = await runProgram({ file: "gpg", args, cwd: "/", env }, { timeoutMs: TIMEOUT_MS });
  if (end.kind !== "ended" || end.stopped !== undefined) return "unknown";
  return end.exitCode === 0 ? "here" : "missing";
}

function atHome(path: string, home: string): string {
  return path.startsWith("~/") ? join(home, path.slice(2)) : path;
}
