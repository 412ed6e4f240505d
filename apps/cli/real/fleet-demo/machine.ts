import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { endMarked } from "@quasar/process";
import { LANE } from "@quasar/nebula/port";
import { type Asked, type Model, openModel } from "../../src/quasar/demo/model.ts";
import { script, turnAt } from "../../src/quasar/demo/nebula-program.ts";

/** The command as it is shipped. */
export const MAIN: string = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** A turn of an agent, in one agent session. */
export interface Turn {
  readonly name: string;
  readonly session: string;
}

export interface MachineOptions {
  readonly name: string;
  /** Of the demo. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the model answers this machine's agent. */
  readonly answers: (asked: Asked) => boolean;
  readonly tell: (event: WorkerSays) => void;
}

export interface WorkerSays {
  readonly what: "takes" | "leaves" | "warning" | "event" | "away" | "back";
  readonly work: string;
  readonly message: string;
}

/** What belongs to a machine of its own: a home, agents with their sessions, and the worker. */
export class Machine {
  readonly name: string;
  readonly home: string;
  readonly #options: MachineOptions;
  readonly #env: Readonly<Record<string, string>>;
  readonly #model: Model;
  readonly #turns: readonly Turn[];
  readonly #works = new Set<string>();
  #worker: ChildProcess | undefined;

  private constructor(options: MachineOptions, home: string, model: Model, turns: Turn[]) {
    this.name = options.name;
    this.home = home;
    this.#options = options;
    this.#model = model;
    this.#turns = turns;
    const path = join(home, "script.json");
    writeFileSync(path, JSON.stringify(script(model.url, join(home, "sessions"))));
    const agent = `scripted:${path}`;
    this.#env = { ...options.env, HOME: home, QUASAR_CODER: agent, QUASAR_REVIEWER: agent };
  }

  static async open(options: MachineOptions): Promise<Machine> {
    const home = join(options.folder, options.name);
    mkdirSync(home);
    const turns: Turn[] = [];
    const model = await openModel((asked) => {
      const { turn, session, step } = asked;
      if (step === 0) turns.push({ name: turnAt(turn), session });
      return options.answers(asked);
    });
    return new Machine(options, home, model, turns);
  }

  /** What its worker has taken and not given back. */
  get works(): ReadonlySet<string> {
    return this.#works;
  }

  get hasLane(): boolean {
    return this.#works.has(LANE);
  }

  /** Turns that its agents have begun. */
  get turns(): readonly Turn[] {
    return this.#turns;
  }

  get pid(): number | undefined {
    return this.#worker?.pid;
  }

  /** Starts `quasar worker …`. */
  work(args: readonly string[]): void {
    const worker = spawn(process.execPath, [MAIN, "worker", ...args, "--json"], {
      cwd: this.home,
      env: this.#env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    worker.on("error", () => {});
    this.#worker = worker;
    createInterface({ input: worker.stdout }).on("line", (line) => {
      const said = JSON.parse(line) as WorkerSays;
      if (said.what === "takes") this.#works.add(said.work);
      if (said.what === "leaves") this.#works.delete(said.work);
      this.#options.tell(said);
    });
  }

  /** Ends the worker and all that was ever started on this machine, at once. */
  async powerOff(): Promise<void> {
    await endMarked({ name: "HOME", value: this.home }, { signal: "SIGKILL", graceMs: 0 });
  }

  async close(): Promise<void> {
    await this.powerOff();
    await this.#model.close();
  }
}
