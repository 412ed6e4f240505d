import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Place, write } from "./harness.ts";

/** A turn of a Claude Code that is none: the first whose `match` is in the prompt is taken. */
export interface FakeTurn {
  readonly match?: string | undefined;
  /** A shell command that it runs in the work tree: it is asked about by no rules. */
  readonly runs?: string | undefined;
  /** Commands that it says were denied, unless its arguments allow them. */
  readonly wants?: readonly string[] | undefined;
  /** What it says in the place of its work, until `claude auth login` was typed. */
  readonly loggedOut?: string | undefined;
  /** How many requests it makes beside its first; a hook that never lets it stop has it make any number. */
  readonly asks?: number | undefined;
  /** The model that it says it asks. @default claude-sonnet-4-5 */
  readonly model?: string | undefined;
  /** A reviewer's answer. @default it approves; one without a verdict is not the form that was asked for */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  /** Seconds that it then continues. */
  readonly lasts?: number | undefined;
}

/** What a turn was started with. */
export interface FakeCall {
  readonly args: readonly string[];
  readonly prompt: string;
  readonly system: string;
  readonly env: Readonly<Record<string, string>>;
}

const APPROVAL = {
  verdict: "approved",
  findings: [],
  verifications: [],
  report: { satisfaction: "high", risk: "low", needs_human_review: false, summary: "Fine." },
};

const PROGRAM = `#!${process.execPath}
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { execSync } from "node:child_process";
const args = process.argv.slice(2);
if (args.includes("--version")) { console.log("2.1.330"); process.exit(0); }
const folder = new URL(".", import.meta.url).pathname;
if (args[0] === "auth") { writeFileSync(folder + "logged-in", ""); process.exit(0); }
const prompt = readFileSync(0, "utf8");
const system = args[args.indexOf("--append-system-prompt") + 1];
appendFileSync(folder + "calls.jsonl", JSON.stringify({ args, prompt, system, env: process.env }) + "\\n");
const session = args.find((arg) => /^--(session-id|resume)=/.test(arg)).split("=")[1];
const say = (event) => process.stdout.write(JSON.stringify({ session_id: session, ...event }) + "\\n");
say({ type: "system", subtype: "init", claude_code_version: "2.1.330" });
const usage = { input_tokens: 100, output_tokens: 10 };
const isReviewer = args.includes("--tools");
const { coder, reviewer } = JSON.parse(readFileSync(folder + "turns.json", "utf8"));
const turn = (isReviewer ? reviewer : coder).find(({ match = "" }) => prompt.includes(match)) ?? {};
const { model = "claude-sonnet-4-5" } = turn;
if (turn.loggedOut && !existsSync(folder + "logged-in")) {
  say({ type: "result", subtype: "success", is_error: true, result: turn.loggedOut, num_turns: 1, total_cost_usd: 0, usage: {}, permission_denials: [] });
  process.exit(1);
}
const answer = (id) => {
  say({ type: "stream_event", event: { type: "message_start", message: { id, model, usage } } });
  say({ type: "stream_event", event: { type: "message_delta", usage } });
};
answer("m");
if (turn.runs) execSync(turn.runs, { stdio: "ignore" });
const isAllowed = (command) => args.includes("Bash") || args.some((arg) => /^Bash\\(.* \\*\\)$/.test(arg) && (command + " ").startsWith(arg.slice(5, -2)));
const denied = (turn.wants ?? []).filter((command) => !isAllowed(command));
const uses = (name, input) =>
  say({ type: "assistant", message: { id: "m", model, content: [{ type: "tool_use", id: "t", name, input }] } });
for (const command of turn.wants ?? []) uses("Bash", { command });
const given = turn.answers ?? ${JSON.stringify(APPROVAL)};
if (isReviewer) uses("StructuredOutput", given);
for (let n = 1; n <= (turn.asks ?? 0); n += 1) {
  answer("m" + n);
  await new Promise((done) => setTimeout(done, 5));
}
if (turn.lasts) await new Promise((done) => setTimeout(done, turn.lasts * 1000));
say({
  type: "result", subtype: "success", is_error: false, result: "Done.", num_turns: 1, total_cost_usd: 0.01, usage,
  model_usage_since_last_result: { [model]: { inputTokens: 100, outputTokens: 10, costUSD: 0.01 } },
  permission_denials: denied.map((command) => ({ tool_name: "Bash", tool_use_id: "t", tool_input: { command } })),
  ...(isReviewer && given.verdict && { structured_output: given }),
});
`;

/** Puts a Claude Code of the test's own on the PATH of a place. */
export function fakeClaude(
  at: Place,
  turns: { readonly coder: readonly FakeTurn[]; readonly reviewer?: readonly FakeTurn[] },
): { readonly calls: () => readonly FakeCall[]; readonly env: { readonly PATH: string } } {
  const bin = join(at.outside, "bin");
  write(bin, { "package.json": '{"type":"module"}' });
  write(bin, { "turns.json": JSON.stringify({ reviewer: [], ...turns }), claude: PROGRAM });
  chmodSync(join(bin, "claude"), 0o755);
  const calls = join(bin, "calls.jsonl");
  return {
    env: { PATH: `${bin}:${at.env["PATH"]}` },
    calls: () => {
      const lines = existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
      return lines.map((line) => JSON.parse(line) as FakeCall);
    },
  };
}
