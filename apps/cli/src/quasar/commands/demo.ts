import { setTimeout as sleep } from "node:timers/promises";
import { endRunProcesses } from "@quasar/agents/turns";
import { cleanLine } from "@quasar/runs/text";
import { finish, type QuasarChild, startQuasar } from "../demo/children.ts";
import { FILES, script, TASK } from "../demo/program.ts";
import { type DemoOptions, type Play, playDemo, type Stage } from "../demo/stage.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import type { OutputRecord } from "../../shared/output/record.ts";

/** How long the killed turn may work once it has said something: long enough to be seen, shorter than to its next word. */
const KILL_AFTER_MS = 500;

/** `quasar demo`: a real run in a real repository, really killed; only the agent is scripted. */
export async function demoCommand(options: DemoOptions): Promise<ExitCode> {
  return playDemo("median", options, (stage) => new Demo(stage));
}

class Demo implements Play {
  readonly #stage: Stage;
  #child: QuasarChild | undefined;
  #runId = "";

  constructor(stage: Stage) {
    this.#stage = stage;
    stage.signal.addEventListener("abort", () => this.#child?.process.kill("SIGKILL"));
  }

  async play(): Promise<void> {
    this.#stage.tell("what this is", [
      "A run that is killed with kill -9 and resumes. The agent is scripted: no model is asked, " +
        "and what it costs is made up. The repository, the test, the kill and the resume are real.",
    ]);
    await this.#stage.makeRepository(FILES, "Add median()");
    await this.#tellTest("the program has a bug, and a test that fails because of it");
    const before = await this.#runUntilKilled();
    await this.#resume();
    await this.#tellTest("the test now");
    await this.#tellCommits(before);
  }

  async end(): Promise<void> {
    this.#child?.process.kill("SIGKILL");
    await this.#child?.ended;
    if (this.#runId !== "") await endRunProcesses(this.#runId, { graceMs: 0 });
  }

  async #tellTest(title: string): Promise<void> {
    const args = ["--test", "--test-reporter=tap"];
    const { exitCode, output } = await finish(this.#stage.place, process.execPath, args);
    const tests = output.split("\n").filter((line) => /^(not )?ok \d+ - /u.test(line));
    const verdict = exitCode === 0 ? "all pass" : "fails";
    this.#stage.tell(title, [...tests.map(cleanLine), `node --test: ${verdict}`]);
  }

  /** @returns The commit that the run began at. */
  async #runUntilKilled(): Promise<string> {
    const base = await this.#stage.git("rev-parse", "HEAD");
    const agent = this.#stage.scriptedAgent(script());
    const shown = ["--check", "node --test", "--max-budget", "1"];
    const args = ["run", TASK, ...shown, "--coder", agent, "--reviewer", agent];
    this.#stage.tell(`quasar run "${TASK}" --check "node --test" --max-budget 1`, []);
    let killing: Promise<void> | undefined;
    const child = this.#start(args, (record) => {
      if (record.type !== "agent_event" || record.event.type !== "text") return;
      if (record.role === "coder" && record.cycle === 2) killing ??= this.#kill();
    });
    await child.ended;
    if (killing === undefined) throw new CliError("ERR_STATE", "the demo's run ended by itself");
    await killing;
    return base;
  }

  async #kill(): Promise<void> {
    await sleep(KILL_AFTER_MS);
    const pid = this.#child?.process.pid;
    this.#child?.process.kill("SIGKILL");
    this.#stage.tell(`kill -9 ${pid}, in the middle of the coder's second turn`, [
      "The process is gone: no handler ran, nothing could be saved any more. Its agent works on.",
    ]);
  }

  async #resume(): Promise<void> {
    this.#stage.tell("quasar resume", []);
    const exitCode = await this.#start(["resume"], () => {}).ended;
    if (exitCode !== EXIT.ok) {
      throw new CliError("ERR_STATE", `the demo's resume ended with ${exitCode}`);
    }
  }

  #start(args: readonly string[], onRecord: (record: OutputRecord) => void): QuasarChild {
    this.#stage.signal.throwIfAborted();
    this.#child = startQuasar(this.#stage.place, args, (record) => {
      // What it says to type next is for a folder that is about to go.
      this.#stage.report(record.type === "result" ? { ...record, next: [] } : record);
      if (record.type === "run") this.#runId = record.runId;
      onRecord(record);
    });
    return this.#child;
  }

  async #tellCommits(base: string): Promise<void> {
    const format = ["--reverse", "--abbrev=10", "--format=%h %s"];
    const log = await this.#stage.git("log", ...format, `${base}..HEAD`);
    const changed = await this.#stage.git("diff", "--stat", base, "HEAD");
    this.#stage.tell("one commit for each cycle, none of them twice", [
      ...log.split("\n"),
      ...changed.split("\n").map((line) => line.trim()),
    ]);
    this.#stage.tell("the cost", [
      "It is known to the cent: the agent of the killed run was followed to its end, so its turn " +
        "was neither paid for again nor guessed.",
    ]);
    this.#stage.tell("now in a repository of yours", ["quasar init", 'quasar run "…"']);
  }
}
