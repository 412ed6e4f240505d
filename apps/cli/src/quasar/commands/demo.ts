import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endRunProcesses } from "@quasar/agents/turns";
import { cleanLine } from "@quasar/runs/text";
import { type DemoPlace, finish, type QuasarChild, startQuasar } from "../demo/children.ts";
import { FILES, script, TASK } from "../demo/program.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { listenForInterrupts } from "../../shared/interrupts.ts";
import type { OutputRecord } from "../../shared/output/record.ts";
import { createReporter, type Reporter } from "../../shared/output/reporter.ts";
import { STREAMS } from "../../shared/streams.ts";

export interface DemoOptions {
  readonly keep?: true | undefined;
  readonly json?: true | undefined;
}

/** How long the killed turn may work first: long enough to be seen, shorter than the turn. */
const KILL_AFTER_MS = 900;

/** `quasar demo`: a real run in a real repository, really killed; only the agent is scripted. */
export async function demoCommand(options: DemoOptions): Promise<ExitCode> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "quasar-demo-"));
  const reporter = createReporter(STREAMS, { json: options.json });
  const interrupts = listenForInterrupts(() => {});
  const demo = new Demo(placeIn(folder), reporter, interrupts.signal);
  try {
    await demo.play();
    return interrupts.exitCode() ?? EXIT.ok;
  } catch (error) {
    const interrupted = interrupts.exitCode();
    if (interrupted === undefined) throw error;
    return interrupted;
  } finally {
    interrupts.stop();
    await demo.end();
    if (options.keep === true) {
      reporter.report({ type: "step", title: "kept", lines: [join(folder, "median")] });
    } else {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
    reporter.close();
  }
}

function placeIn(folder: string): DemoPlace {
  const home = join(folder, "home");
  const repository = join(folder, "median");
  mkdirSync(home);
  mkdirSync(repository);
  const { PATH = "", TMPDIR, LANG } = process.env;
  const kept = { ...(TMPDIR && { TMPDIR }), ...(LANG && { LANG }) };
  const env = {
    ...kept,
    PATH,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  return { folder, repository, env };
}

class Demo {
  readonly #place: DemoPlace;
  readonly #reporter: Reporter;
  readonly #signal: AbortSignal;
  #child: QuasarChild | undefined;
  #runId = "";

  constructor(place: DemoPlace, reporter: Reporter, signal: AbortSignal) {
    this.#place = place;
    this.#reporter = reporter;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#child?.process.kill("SIGKILL"));
  }

  async play(): Promise<void> {
    this.#tell("what this is", [
      "A run that is killed with kill -9 and resumes. The agent is scripted: no model is asked, " +
        "and what it costs is made up. The repository, the test, the kill and the resume are real.",
    ]);
    await this.#makeRepository();
    await this.#tellTest("the program has a bug, and a test that fails because of it");
    const before = await this.#runUntilKilled();
    await this.#resume();
    await this.#tellTest("the test now");
    await this.#tellCommits(before);
  }

  /** Leaves no process behind. */
  async end(): Promise<void> {
    this.#child?.process.kill("SIGKILL");
    await this.#child?.ended;
    if (this.#runId !== "") await endRunProcesses(this.#runId, { graceMs: 0 });
  }

  #tell(title: string, lines: readonly string[]): void {
    this.#signal.throwIfAborted();
    this.#reporter.report({ type: "step", title, lines });
  }

  async #git(...args: string[]): Promise<string> {
    const { exitCode, output } = await finish(this.#place, "git", args);
    if (exitCode !== 0) throw new CliError("ERR_STATE", `git ${args.join(" ")} failed`);
    return output.trim();
  }

  async #makeRepository(): Promise<void> {
    const { repository, folder } = this.#place;
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(repository, name), text);
    writeFileSync(join(folder, "script.json"), JSON.stringify(script()));
    await this.#git("init", "--quiet", "--initial-branch=main");
    await this.#git("config", "user.name", "Quasar demo");
    await this.#git("config", "user.email", "demo@localhost");
    await this.#git("add", "--all");
    await this.#git("commit", "--quiet", "--message=Add median()");
  }

  async #tellTest(title: string): Promise<void> {
    const args = ["--test", "--test-reporter=tap"];
    const { exitCode, output } = await finish(this.#place, process.execPath, args);
    const tests = output.split("\n").filter((line) => /^(not )?ok \d+ - /u.test(line));
    const verdict = exitCode === 0 ? "all pass" : "fails";
    this.#tell(title, [...tests.map(cleanLine), `node --test: ${verdict}`]);
  }

  /** @returns The commit that the run began at. */
  async #runUntilKilled(): Promise<string> {
    const base = await this.#git("rev-parse", "HEAD");
    const agent = `scripted:${join(this.#place.folder, "script.json")}`;
    const shown = ["--check", "node --test", "--max-budget", "1"];
    const args = ["run", TASK, ...shown, "--coder", agent, "--reviewer", agent];
    this.#tell(`quasar run "${TASK}" --check "node --test" --max-budget 1`, []);
    let killing: Promise<void> | undefined;
    const child = this.#start(args, (record) => {
      const isSecondTurn =
        record.type === "agent_start" && record.role === "coder" && record.cycle === 2;
      if (isSecondTurn) killing ??= this.#kill();
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
    this.#tell(`kill -9 ${pid}, in the middle of the coder's second turn`, [
      "The process is gone: no handler ran, nothing could be saved any more. Its agent works on.",
    ]);
  }

  async #resume(): Promise<void> {
    this.#tell("quasar resume", []);
    const exitCode = await this.#start(["resume"], () => {}).ended;
    if (exitCode !== EXIT.ok) {
      throw new CliError("ERR_STATE", `the demo's resume ended with ${exitCode}`);
    }
  }

  #start(args: readonly string[], onRecord: (record: OutputRecord) => void): QuasarChild {
    this.#signal.throwIfAborted();
    this.#child = startQuasar(this.#place, args, (record) => {
      // What it says to type next is for a folder that is about to go.
      this.#reporter.report(record.type === "result" ? { ...record, next: [] } : record);
      if (record.type === "run") this.#runId = record.runId;
      onRecord(record);
    });
    return this.#child;
  }

  async #tellCommits(base: string): Promise<void> {
    const format = ["--reverse", "--abbrev=10", "--format=%h %s"];
    const log = await this.#git("log", ...format, `${base}..HEAD`);
    const changed = await this.#git("diff", "--stat", base, "HEAD");
    this.#tell("one commit for each cycle, none of them twice", [
      ...log.split("\n"),
      ...changed.split("\n").map((line) => line.trim()),
    ]);
    this.#tell("the cost", [
      "It is known to the cent: the agent of the killed run was followed to its end, so its turn " +
        "was neither paid for again nor guessed.",
    ]);
    this.#tell("now in a repository of yours", ["quasar init", 'quasar run "…"']);
  }
}
