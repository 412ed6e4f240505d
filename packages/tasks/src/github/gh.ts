import { access, constants, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { execa } from "execa";
import { plainText } from "../plain.ts";

/** Where and as whom `gh` runs. */
export interface GhContext {
  /** The variables that it may be given; it is searched for on their PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder that nobody else writes to: `gh` asks git about the one that it is in. */
  readonly cwd: string;
  /** Folders in which no program is searched for: those that agents write to. */
  readonly untrusted: readonly string[];
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal;
}

/** What became of a question to `gh`. */
export type GhAnswer<Value> = { readonly kind: "ok"; readonly value: Value } | GhFailure;

export interface GhFailure {
  /** `missing`: no such program; `login`: it is nobody's session; `unreachable`: no network. */
  readonly kind: "missing" | "login" | "unreachable" | "failed";
  /** In one or a few lines, for a person. */
  readonly message: string;
}

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 4 * 1024 * 1024;

/**
 * Runs `gh` without a shell and without a terminal, for at most a minute, and answers with its stdout.
 *
 * @param input - What it reads from its stdin.
 * @throws the signal's reason when aborted; what it did may be done then.
 */
export async function runGh(
  args: readonly string[],
  { env, cwd, untrusted, redact, signal }: GhContext,
  input = "",
): Promise<GhAnswer<string>> {
  signal.throwIfAborted();
  const program = await findProgram("gh", env["PATH"] ?? "", untrusted);
  if (program === undefined) return { kind: "missing", message: "gh is not on the PATH" };
  const result = await execa(program, args, {
    cwd,
    env: ghEnvironment(env),
    extendEnv: false,
    input,
    cancelSignal: signal,
    timeout: TIMEOUT_MS,
    forceKillAfterDelay: 2_000,
    maxBuffer: MAX_OUTPUT,
    reject: false,
  });
  signal.throwIfAborted();
  if (result.exitCode === 0) return { kind: "ok", value: result.stdout };
  if (result.timedOut) return { kind: "unreachable", message: "gh did not answer in a minute" };
  if (result.isMaxBuffer) return { kind: "failed", message: "gh printed more than 4 MiB" };
  const said = plainText(redact(result.stderr)).trim().split("\n").slice(-6).join("\n");
  const message = said.slice(-1_000) || `gh ended with ${result.exitCode ?? "a signal"}`;
  return { kind: kindOf(result.exitCode, message), message };
}

/** `gh` says by its exit code only that somebody has to log in. */
const LOGIN_EXIT_CODE = 4;
const LOGIN = /gh auth login|HTTP 401|Bad credentials|authentication required/i;
const NETWORK =
  /error connecting to|dial tcp|could not resolve|connection refused|network is unreachable|i\/o timeout|TLS handshake|unexpected EOF|HTTP 5\d\d|HTTP 429/i;

function kindOf(exitCode: number | undefined, message: string): GhFailure["kind"] {
  if (exitCode === LOGIN_EXIT_CODE || LOGIN.test(message)) return "login";
  return NETWORK.test(message) ? "unreachable" : "failed";
}

/** Which repository and how it is printed is said by us only. */
const DROPPED = /^(?:GIT_.*|GH_REPO|GH_DEBUG|DEBUG|GH_FORCE_TTY|CLICOLOR_FORCE|GH_PATH)$/;

function ghEnvironment(env: GhContext["env"]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !DROPPED.test(name)) kept[name] = value;
  }
  return {
    ...kept,
    GH_PROMPT_DISABLED: "1",
    GH_NO_UPDATE_NOTIFIER: "1",
    GH_NO_EXTENSION_UPDATE_NOTIFIER: "1",
    GH_SPINNER_DISABLED: "1",
    GH_PAGER: "cat",
    NO_COLOR: "1",
  };
}

/** The absolute path of a program; folders of the PATH that are relative or not trusted are passed over. */
async function findProgram(
  name: string,
  path: string,
  untrusted: readonly string[],
): Promise<string | undefined> {
  for (const folder of path.split(":")) {
    if (!isAbsolute(folder) || untrusted.some((dir) => isInside(dir, folder))) continue;
    const file = join(folder, name);
    const entry = await stat(file).catch(() => undefined);
    if (entry?.isFile() !== true) continue;
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}

function isInside(dir: string, path: string): boolean {
  const way = relative(dir, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
