import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endRunProcesses, listRunProcesses } from "@quasar/agents/turns";
import { count, money } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { askQuasar, type QuasarChild, showQuasar } from "../demo/children.ts";
import { type Asked, type Bill, type Model, openModel } from "../demo/model.ts";
import { DIR, FILES, KILLED, NEBULA, PHASES, script, turnAt } from "../demo/nebula-program.ts";
import { type DemoOptions, type Play, playDemo, type Stage } from "../demo/stage.ts";
import type { NebulaStatusLine } from "../schemas/nebula-apply.ts";

/** How long both turns stand still before the kill: long enough to be seen. */
const KILL_AFTER_MS = 700;

const BRANCH = `nebula/${NEBULA}`;

/** `quasar nebula demo`: real phases in a real repository, really killed; only agents and model are scripted. */
export async function nebulaDemoCommand(options: DemoOptions): Promise<ExitCode> {
  return playDemo(NEBULA, options, (stage) => new NebulaDemo(stage, options));
}

class NebulaDemo implements Play {
  readonly #stage: Stage;
  readonly #format: readonly string[];
  #child: QuasarChild | undefined;
  #model: Model | undefined;
  /** Turns of those to be killed that have asked for the step that they get no answer for. */
  readonly #caught = new Set<string>();
  #killing: Promise<void> | undefined;
  /** Who works, which a user's own configuration says. */
  #env: Readonly<Record<string, string>> = {};

  constructor(stage: Stage, { json }: DemoOptions) {
    this.#stage = stage;
    this.#format = json === true ? ["--json"] : [];
    stage.signal.addEventListener("abort", () => this.#child?.process.kill("SIGKILL"));
  }

  async play(): Promise<void> {
    this.#stage.tell("what this is", [
      "Four phases and two workers. Everything is killed with kill -9 in the middle, and resumes. " +
        "The agents are scripted, their model is a small program that only counts, and what it bills " +
        "is made up. The repository, the tests, the conflict, the kill and the resume are real.",
    ]);
    await this.#stage.makeRepository(FILES, "Add words(), and what comes next");
    this.#stage.tell(`the phases, in ${DIR}`, PHASES.map(phaseLine));
    const base = await this.#stage.git("rev-parse", "HEAD");
    const model = await this.#applyUntilKilled();
    await this.#resume();
    await this.#tellLandings(base);
    await this.#tellProofs(base, model.bill());
    this.#stage.tell("now in a repository of yours", [
      "quasar nebula plan DIR",
      "quasar nebula apply DIR --auto",
    ]);
  }

  async end(): Promise<void> {
    if (this.#child !== undefined) {
      this.#child.process.kill("SIGKILL");
      await this.#child.ended;
      await this.#killRuns();
    }
    await this.#model?.close();
  }

  /** @returns The model, which continues to answer. */
  async #applyUntilKilled(): Promise<Model> {
    const model = await openModel((asked) => this.#isAnswered(asked));
    this.#model = model;
    const sessions = join(this.#stage.place.folder, "sessions");
    const agent = this.#stage.scriptedAgent(script(model.url, sessions));
    this.#env = { QUASAR_CODER: agent, QUASAR_REVIEWER: agent };
    await this.#show(["nebula", "apply", DIR, "--auto", "--trust-config"]);
    if (this.#killing === undefined) {
      throw new CliError("ERR_STATE", "the demo's nebula ended by itself");
    }
    await this.#killing;
    return model;
  }

  /** Until the kill the turns that it meets get no further than into their middle. */
  #isAnswered({ turn, step }: Asked): boolean {
    const name = turnAt(turn);
    const isCaught = KILLED.turns.some((killed) => killed === name) && step >= KILLED.step;
    if (this.#killing !== undefined || !isCaught) return true;
    this.#caught.add(name);
    if (this.#caught.size === KILLED.turns.length) this.#killing = this.#kill();
    return false;
  }

  async #kill(): Promise<void> {
    await sleep(KILL_AFTER_MS);
    const engine = this.#child;
    engine?.process.kill("SIGKILL");
    await engine?.ended;
    await this.#killRuns();
    this.#stage.tell(`kill -9 ${engine?.process.pid}, and every process that it has started`, [
      "Two turns were in their middle. Engine, agents and those that watch over them are gone: no " +
        "handler ran, nothing could be saved any more.",
    ]);
  }

  /** Kills whatever the engine has started: runs, and what is no run, by where it works. */
  async #killRuns(): Promise<void> {
    const { folder } = this.#stage.place;
    const here = (listRunProcesses() ?? []).filter(({ workTree = "" }) =>
      workTree.startsWith(join(folder, "/")),
    );
    const { phases = [] } = await this.#status();
    const runIds = [...here.map(({ runId }) => runId), ...phases.flatMap((phase) => phase.runIds)];
    for (const runId of new Set(runIds)) {
      await endRunProcesses(runId, { signal: "SIGKILL", graceMs: 0 });
    }
  }

  /** Empty before there is a nebula. */
  async #status(): Promise<Partial<NebulaStatusLine>> {
    const status = await askQuasar(this.#stage.place, ["nebula", "status", NEBULA]);
    return status as Partial<NebulaStatusLine>;
  }

  async #resume(): Promise<void> {
    const exitCode = await this.#show(["nebula", "apply", NEBULA, "--auto", "--resume"]);
    if (exitCode !== EXIT.ok) {
      throw new CliError("ERR_STATE", `the demo's resume ended with ${exitCode}`);
    }
  }

  /** Tells a command, which then prints for itself. */
  async #show(args: readonly string[]): Promise<number | undefined> {
    this.#stage.tell(`quasar ${args.join(" ")}`, []);
    const { place } = this.#stage;
    const env = { ...place.env, ...this.#env };
    this.#child = showQuasar({ ...place, env }, [...args, ...this.#format]);
    return this.#child.ended;
  }

  async #tellLandings(base: string): Promise<void> {
    const format = ["--first-parent", "--reverse", "--abbrev=10", "--format=%h %s"];
    const log = await this.#stage.git("log", ...format, `${base}..${BRANCH}`);
    this.#stage.tell(`git log --first-parent --reverse ${BRANCH}`, log.split("\n"));
  }

  /** Says what the folder and the model prove. @throws {CliError} `ERR_STATE` where that is something else. */
  async #tellProofs(base: string, bill: Bill): Promise<void> {
    const trailer = "--format=%(trailers:key=Quasar-Phase,valueonly,separator=%x2C)";
    const log = ["log", "--first-parent", "--reverse", trailer, `${base}..${BRANCH}`];
    const landed = (await this.#stage.git(...log)).split("\n");
    const { answers, repeated, usd } = bill;
    const { spentUsd = 0 } = await this.#status();
    const tree = await this.#stage.git("status", "--porcelain");
    const head = await this.#stage.git("rev-parse", "HEAD");
    const proofs = [
      {
        holds: landed.join() === PHASES.map(({ id }) => id).join(),
        line: `nothing landed twice: ${count(landed.length, "landing")}, one of each phase`,
      },
      {
        holds: repeated === 0 && cents(spentUsd) >= cents(usd),
        line:
          `nothing was paid twice: the model billed ${money(usd)} for ${count(answers, "answer")}, no two of them the ` +
          `same; quasar counts ${money(spentUsd)}, with what could have been under way at the kill`,
      },
      {
        holds: tree === "" && head === base,
        line: "nothing else changed: main and its work tree are as they were",
      },
    ];
    const broken = proofs.find(({ holds }) => !holds);
    if (broken !== undefined) {
      throw new CliError("ERR_STATE", `the demo has disproved this: ${broken.line}`);
    }
    this.#stage.tell(
      "what this has proved",
      proofs.map(({ line }) => line),
    );
  }
}

function phaseLine({ id, title, needs }: (typeof PHASES)[number]): string {
  const after = needs.length === 0 ? "" : `, after ${needs.join(" and ")}`;
  return `${id}: ${title}${after}`;
}

function cents(usd: number): number {
  return Math.round(usd * 100);
}
