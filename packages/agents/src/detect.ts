import { readFileSync } from "node:fs";
import { type Program, type RunOptions, runProgram } from "@quasar/process";
import { cleanLine } from "./clean.ts";
import { checkEnvironment } from "./environment.ts";
import { type AgentLogin, isSince, readTraces } from "./login.ts";
import type { AgentPreset } from "./preset.ts";
import { AGENT_PRESETS } from "./presets.ts";

/** An agent's program that was found. */
export interface DetectedAgent {
  /** Its name among the presets: `claude`. */
  readonly kind: string;
  /** As it says itself: `2.1.329`; `""` when it does not answer. */
  readonly version: string;
  readonly login: AgentLogin;
}

export interface DetectOptions {
  /** More variables that an agent has, as in `EnvironmentOptions`. @default none */
  readonly passEnv?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Which agents are searched for. @default all that are offered */
  readonly presets?: readonly AgentPreset[] | undefined;
}

/** For its version: on a busy machine some take that long to start. */
const VERSION_TIMEOUT_MS = 15_000;
const LOGIN_TIMEOUT_MS = 5000;
/** What it says is at the beginning. */
const MAX_BYTES = 1 << 16;
const NOT_THERE: ReadonlySet<string | undefined> = new Set(["ENOENT", "EACCES"]);
/** Where nobody listens: an agent that is asked for its login would renew it, and be ended in the middle of that. */
const NOWHERE = "http://127.0.0.1:9";

/** Keeps an agent that is only asked about itself from the network. */
const OFFLINE: Readonly<Record<string, string>> = {
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  ...{ HTTP_PROXY: NOWHERE, HTTPS_PROXY: NOWHERE, ALL_PROXY: NOWHERE, NO_PROXY: "" },
  ...{ http_proxy: NOWHERE, https_proxy: NOWHERE, all_proxy: NOWHERE, no_proxy: "" },
};

interface Answer {
  readonly exitCode: number | undefined;
  readonly text: string;
}

async function detect(
  { name, program, ownEnv, login: { seen } }: AgentPreset,
  { passEnv = [], signal }: DetectOptions,
): Promise<DetectedAgent | undefined> {
  const env = checkEnvironment({ passEnv: [...ownEnv, ...passEnv], setEnv: OFFLINE });
  const ask = (args: readonly string[], timeoutMs: number) =>
    answerOf({ file: program, args, cwd: "/", env }, { timeoutMs, signal });
  const told = await ask(["--version"], VERSION_TIMEOUT_MS);
  if (told === undefined) return undefined;
  const [version = ""] =
    told.exitCode === 0 ? (/\d+\.\d+\.\d+\w*(?:[.-]+\w+)*/.exec(cleanLine(told.text)) ?? []) : [];
  if (seen.kind === "traces") return { kind: name, version, login: readTraces(seen, env, textOf) };
  const said = isSince(version, seen.since) ? await ask(seen.args, LOGIN_TIMEOUT_MS) : undefined;
  const login: AgentLogin =
    said === undefined
      ? { state: "unknown", how: "" }
      : seen.read({ ...said, env, settings: seen.settings ? textOf(seen.settings(env)) : "" });
  return { kind: name, version, login };
}

/**
 * What an agent's program answers, started with the variables that it has in a run, in a folder that no
 * repository has settings in; `undefined` where it is not there.
 */
async function answerOf(
  program: Program,
  { timeoutMs, signal }: Pick<RunOptions<"enough">, "timeoutMs" | "signal">,
): Promise<Answer | undefined> {
  let text = "";
  const keep = (chunk: Buffer): "enough" | undefined => {
    text += chunk.toString("latin1");
    return text.length > MAX_BYTES ? "enough" : undefined;
  };
  const options = { stdout: keep, stderr: keep, timeoutMs, signal };
  const end = await runProgram<"enough">(program, options);
  signal?.throwIfAborted();
  if (end.kind === "ended") {
    return { exitCode: end.stopped === undefined ? end.exitCode : undefined, text };
  }
  return NOT_THERE.has(end.error.code) ? undefined : { exitCode: undefined, text };
}

/** The text of an agent's own file; `""` where there is none, `undefined` where it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "" : undefined;
  }
}

/**
 * Which agents are installed: on the PATH of this process, with the versions they say they are, and whether
 * somebody is logged in, by their own word. Neither a model nor any network is asked. An agent has 15 s for its version,
 * and 5 s for its login.
 */
export async function detectAgents(options: DetectOptions = {}): Promise<readonly DetectedAgent[]> {
  const { presets = AGENT_PRESETS } = options;
  const found = await Promise.all(presets.map((preset) => detect(preset, options)));
  return found.filter((agent) => agent !== undefined);
}
