import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { endMarked } from "@quasar/process";
import { LANE } from "@quasar/nebula/port";
import { count, wrap } from "@quasar/runs/text";
import { type DemoPlace, finish } from "../../src/quasar/demo/children.ts";
import type { Asked } from "../../src/quasar/demo/model.ts";
import {
  DIR,
  FILES,
  KILLED,
  NEBULA,
  PHASES,
  turnAt,
} from "../../src/quasar/demo/nebula-program.ts";
import type { Play, Stage } from "../../src/quasar/demo/stage.ts";
import { CliError } from "../../src/shared/errors.ts";
import { viewOf, write } from "../../src/shared/output/reporter.ts";
import { labelled } from "../../src/shared/output/text.ts";
import { Machine, MAIN, type WorkerSays } from "./machine.ts";
import { landedOnce, phaseOf, repeatedTurns, type Takeover, takeoverLine } from "./proofs.ts";
import { installedServer, startServer } from "./server.ts";

const BRANCH = `nebula/${NEBULA}`;

/** Seconds after which a machine that is not heard has lost its work. */
const TTL_S = 5;

/** How long both turns stand still before the kill: long enough to be seen. */
const KILL_AFTER_MS = 700;

/** Only for what hangs. */
const PATIENCE_MS = 120_000;

const GIT_CONFIG = "[user]\n\tname = Quasar demo\n\temail = demo@localhost\n";

/** A nebula over a server, a depot and two machines, one of which is lost in the middle. */
export class FleetDemo implements Play {
  readonly #stage: Stage;
  readonly #machines: Machine[] = [];
  /** Of the machine on which nobody works: it has the server, the depot and the user's repository. */
  readonly #place: DemoPlace;
  /** Resolves once a turn stands still on the machine with the lane: with its name. */
  readonly #caught = Promise.withResolvers<Machine>();
  #killedAt: number | undefined;
  #takeovers: Takeover[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
    const { place } = stage;
    const temp = join(place.folder, "temp");
    mkdirSync(temp);
    const config = join(place.folder, "gitconfig");
    writeFileSync(config, GIT_CONFIG);
    const env = {
      ...place.env,
      ...{ TMPDIR: temp, GIT_CONFIG_GLOBAL: config, QUASAR_RESTATE_SERVER: installedServer() },
    };
    this.#place = { ...place, env };
  }

  async play(): Promise<void> {
    this.#tell("what this is", [
      "Four phases that two machines work on, one of which is lost in the middle. All of it runs on " +
        "this computer: a machine here is a home folder of its own and what is started with it. The " +
        "agents are scripted; no model is asked and nothing is paid. The server, the repositories, the " +
        "tests, the conflict and the kill are real.",
    ]);
    await this.#stage.makeRepository(FILES, "Add words(), and what comes next");
    this.#tell(`the phases, in ${DIR}`, PHASES.map(phaseLine));
    const base = await this.#stage.git("rev-parse", "HEAD");
    const depot = join(this.#place.folder, "depot.git");
    const url = await this.#open(depot);
    const lost = await this.#workUntilKilled(url, depot);
    await this.#untilLanded(url);
    await this.#tellLandings(depot, base, lost);
    this.#tell("now with machines of yours: docs/fleet.md", [
      "quasar fleet up                                  # on one of them, to try it",
      "quasar worker --fleet URL --depot DEPOT          # on each",
      "quasar nebula apply DIR --auto --fleet URL --depot DEPOT",
    ]);
  }

  async end(): Promise<void> {
    for (const machine of this.#machines) await machine.close();
    const home = this.#place.env["HOME"] ?? "";
    await endMarked({ name: "HOME", value: home }, { signal: "SIGKILL", graceMs: 0 });
  }

  /** Starts the server and makes the depot and the machines. @returns The server's URL. */
  async #open(depot: string): Promise<string> {
    this.#tell("quasar fleet up: the server by which the machines agree", []);
    const { url, keyPath } = await startServer(join(this.#place.folder, "server"), this.#place.env);
    this.#line("server", url);
    this.#tell("quasar depot init: the git repository over which they exchange work", []);
    await this.#quasar("depot", "init", depot);
    for (const name of ["one", "two"]) {
      const machine = await Machine.open({
        ...{ name, folder: this.#place.folder, env: this.#place.env },
        answers: (asked) => this.#isAnswered(name, asked),
        tell: (said) => this.#hear(name, said),
      });
      this.#machines.push(machine);
      const copy = join(machine.home, ".config/quasar/fleet.key");
      mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
      cpSync(keyPath, copy);
    }
    return url;
  }

  /** @returns The machine that is lost. */
  async #workUntilKilled(url: string, depot: string): Promise<Machine> {
    const ttl = ["--ttl", String(TTL_S)];
    this.#tell(`quasar worker --ttl ${TTL_S}, on both machines, each with a copy of the key`, []);
    for (const machine of this.#machines) machine.work(["--fleet", url, "--depot", depot, ...ttl]);
    this.#tell(`quasar nebula apply ${DIR} --auto, in the repository`, []);
    await this.#quasar("nebula", "apply", DIR, "--auto", "--fleet", url, "--depot", depot);
    this.#follow(url);
    const lost = await this.#before("a turn was in its middle", this.#caught.promise);
    await sleep(KILL_AFTER_MS);
    await this.#kill(lost);
    return lost;
  }

  async #kill(lost: Machine): Promise<void> {
    const { name, pid } = lost;
    const works = [...lost.works];
    this.#takeovers = works.map((work) => ({ work, ms: undefined }));
    await lost.powerOff();
    this.#killedAt = performance.now();
    const other = this.#machines.find((machine) => machine !== lost)?.name ?? "";
    this.#tell(`kill -9 ${pid} and all else of machine ${name}, in the middle of a turn`, [
      `It decided what lands, and worked on phase ${works
        .filter((work) => work !== LANE)
        .map(phaseOf)
        .join()}. Nothing could be saved or told any ` +
        `more, and its home is of no use to anybody. Machine ${other} finishes its own turn, and hears of ` +
        `nothing: after ${TTL_S} seconds of silence the server gives it the rest.`,
    ]);
  }

  /** On the machine with the lane such a turn gets no further than into its middle: that is when it is killed. */
  #isAnswered(name: string, { turn, step }: Asked): boolean {
    const machine = this.#machines.find((each) => each.name === name);
    const isKilled = KILLED.turns.some((killed) => killed === turnAt(turn)) && step >= KILLED.step;
    if (this.#killedAt !== undefined || machine?.hasLane !== true || !isKilled) return true;
    this.#caught.resolve(machine);
    return false;
  }

  #hear(machine: string, { what, work, message }: WorkerSays): void {
    if (what === "warning" || what === "away") this.#line(machine, message);
    if (what !== "takes") return;
    this.#line(
      machine,
      `takes ${work === LANE ? "the lane: it decides what lands" : `phase ${phaseOf(work)}`}`,
    );
    if (this.#killedAt === undefined) return;
    const ms = performance.now() - this.#killedAt;
    this.#takeovers = this.#takeovers.map((each) =>
      each.work === work && each.ms === undefined ? { work, ms } : each,
    );
  }

  /** Prints what the server hears of the nebula, until that has ended. */
  #follow(url: string): void {
    const args = [MAIN, "nebula", "log", NEBULA, "--fleet", url, "--follow"];
    const { env } = this.#place;
    spawn(process.execPath, args, { env, stdio: ["ignore", "inherit", "ignore"] }).on(
      "error",
      () => {},
    );
  }

  async #untilLanded(url: string): Promise<void> {
    const landed = async (): Promise<void> => {
      for (;;) {
        const status = await this.#quasar("nebula", "status", NEBULA, "--fleet", url, "--json");
        const { phases } = JSON.parse(status) as {
          readonly phases: readonly { readonly status: string }[];
        };
        if (phases.every(({ status: is }) => is === "done")) return;
        await sleep(500, undefined, { signal: this.#stage.signal });
      }
    };
    await this.#before("all phases had landed", landed());
  }

  /** @throws {CliError} `ERR_STATE` where it takes too long; the reason of an interrupt */
  async #before<T>(what: string, work: Promise<T>): Promise<T> {
    const { signal } = this.#stage;
    const over = new AbortController();
    const late = sleep(PATIENCE_MS, undefined, { signal: over.signal }).then(() => {
      throw new CliError("ERR_STATE", `the demo has waited too long before ${what}`);
    });
    const interrupted = signal.aborted
      ? Promise.reject(signal.reason as Error)
      : once(signal, "abort", { signal: over.signal }).then(() => signal.throwIfAborted());
    late.catch(() => {});
    interrupted.catch(() => {});
    try {
      return (await Promise.race([work, late, interrupted])) as T;
    } finally {
      over.abort();
    }
  }

  /** @throws {CliError} `ERR_STATE` where it proves something else than it should */
  async #tellLandings(depot: string, base: string, lost: Machine): Promise<void> {
    const shown = ["--first-parent", "--reverse", "--abbrev=10"];
    const range = `${base}..${BRANCH}`;
    const log = await this.#stage.git("-C", depot, "log", ...shown, "--format=%h %s", range);
    this.#tell(`git log --first-parent --reverse ${BRANCH}, in the depot`, log.split("\n"));
    const trailer = "--format=%(trailers:key=Quasar-Phase,valueonly,separator=%x2C)";
    const landed = (await this.#stage.git("-C", depot, "log", ...shown, trailer, range)).split(
      "\n",
    );
    const repeated = repeatedTurns(this.#machines.flatMap(({ turns }) => turns));
    const tree = await this.#stage.git("status", "--porcelain");
    if (!landedOnce(landed) || repeated.length > 1 || tree !== "") {
      const found = `landed ${landed.join(", ")}; repeated ${repeated.join(", ")}`;
      throw new CliError("ERR_STATE", `the demo has disproved what it shows: ${found}`);
    }
    this.#tell("what this has shown", [
      `${count(landed.length, "landing")}, one of each phase`,
      ...this.#takeovers.map((takeover) => takeoverLine(takeover, lost.name)),
      repeated.length === 0
        ? "no turn was repeated"
        : `${count(repeated.length, "turn")} repeated: ${repeated.join(", ")}; it was under way when its machine was lost`,
    ]);
  }

  async #quasar(...args: string[]): Promise<string> {
    this.#stage.signal.throwIfAborted();
    const { exitCode, output } = await finish(this.#place, process.execPath, [MAIN, ...args]);
    if (exitCode !== 0)
      throw new CliError("ERR_STATE", `quasar ${args.join(" ")} ended with ${exitCode}`);
    return output;
  }

  #tell(title: string, lines: readonly string[]): void {
    this.#stage.tell(
      title,
      lines.flatMap((line) => wrap(line, 76)),
    );
  }

  #line(label: string, text: string): void {
    const { columns = 80, ...view } = viewOf(process.stdout);
    write(process.stdout, labelled({ ...view, columns }, label, text));
  }
}

function phaseLine({ id, title, needs }: (typeof PHASES)[number]): string {
  const after = needs.length === 0 ? "" : `, after ${needs.join(" and ")}`;
  return `${id}: ${title}${after}`;
}
