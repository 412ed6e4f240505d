import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFleetPort, type FleetPort } from "@quasar/fleet";
import type { NebulaState } from "@quasar/nebula";
import { stateOf } from "@quasar/nebula/fleet";
import { LANE } from "@quasar/nebula/port";
import { processesOf } from "@quasar/torture";
import { QUASAR } from "../blackbox/place.ts";
import type { ModelServer } from "../torture/model/server.ts";
import { FOLDER, makeNebulaFixture } from "../torture/nebula/fixture.ts";
import { fivePhases } from "../torture/nebula/five-phases.ts";
import { taskOf, type TorturedNebula } from "../torture/nebula/tortured-nebula.ts";
import { cuttable } from "./cuttable.ts";
import { type Depot, makeDepot } from "./depot.ts";
import { type Machine, makeMachine } from "./machine.ts";
import { commandOf, signalAll } from "./processes.ts";
import { makeServer, type Server } from "./server.ts";
import { Late, until } from "./until.ts";

/** What an answer of the model costs, and what it may cost as far as an agent can tell, in US dollars. */
export const RESPONSE_USD = 0.05;
const BOUND_USD = 2 * RESPONSE_USD;

/** A request to the model. */
export interface Asked {
  readonly at: number;
  /** Whose the turn is: the same whichever machine does it. */
  readonly work: string;
  readonly step: number;
  readonly turnId: string;
  /** Which machine has asked. */
  readonly machine: string;
}

/** How a row's trial is set up. */
export interface Setting {
  /** How long the first phase's coder takes, in milliseconds. @default as all others */
  readonly slowMs?: number | undefined;
  /** @default five phases that land in the order of the plan */
  readonly nebula?: TorturedNebula | undefined;
  /** How many phases a machine works on at once. @default 1 */
  readonly max?: number | undefined;
  /** Whether the clocks of machines can be set. @default false */
  readonly hasClock?: boolean | undefined;
}

export interface TrialOptions extends Setting {
  /** Absolute path of a folder of its own, which is made. */
  readonly root: string;
  /** Its account at the model. */
  readonly name: string;
  readonly model: ModelServer;
  /** Path of `restate-server`. */
  readonly program: string;
}

/** How long each other turn takes, in milliseconds. */
const QUICK_MS = 400;

/** How long a nebula takes at most once nothing is in its way any more, in milliseconds. */
const END_MS = 150_000;

const MACHINES = ["one", "two", "three"];

/** The first phase's coder, and its reviewer: by their places in `fivePhases`. */
export const SLOW_WORK = "coder 1";
export const FIRST_REVIEW = "reviewer 7";

/** A fleet with a nebula that is worked on: a server, a depot and three machines. */
export class Trial {
  readonly root: string;
  readonly server: Server;
  readonly depot: Depot;
  readonly machines: readonly Machine[];
  readonly asked: Asked[] = [];
  readonly #port: FleetPort;
  #nebula = "";

  private constructor(
    root: string,
    parts: { server: Server; depot: Depot; machines: readonly Machine[]; port: FleetPort },
  ) {
    this.root = root;
    this.server = parts.server;
    this.depot = parts.depot;
    this.machines = parts.machines;
    this.#port = parts.port;
  }

  /** @returns With the workers and the nebula begun. */
  static async begin(options: TrialOptions, onMade: (trial: Trial) => void): Promise<Trial> {
    const {
      root,
      name,
      model,
      slowMs = QUICK_MS,
      max = 1,
      hasClock = false,
      nebula = fivePhases("plan"),
    } = options;
    mkdirSync(join(root, "person"), { recursive: true });
    const fixture = makeNebulaFixture(join(root, "person"), nebula);
    const { PATH = "" } = process.env;
    // Compiled once for all trials: it is no state of theirs.
    const cache = join(root, "../cache");
    const env = { PATH, ...fixture.env, XDG_CACHE_HOME: cache };
    const person = { ...env, HOME: join(root, "person") };
    const base = (): string =>
      execFileSync("git", ["rev-parse", "refs/heads/main"], {
        ...{ cwd: fixture.work, env: person, encoding: "utf8" },
      }).trim();
    const server = makeServer(root, env, options.program);
    await server.start();
    const depot = makeDepot(root, person, base);
    const turns = nebula.turns.map((turn) => {
      const { role, match } = turn as { role: string; match: string };
      if (role !== "coder" || match !== taskOf("a")) return { ...turn, delayMs: QUICK_MS };
      // Most of its time is after the first request.
      return { ...turn, says: Array.from({ length: 5 }, () => "Writing it"), delayMs: slowMs };
    });
    const script = { turns, model: `${model.urlOf(name)}/scripted`, responseUsd: BOUND_USD };
    const machines: Machine[] = [];
    for (const each of MACHINES) {
      const way = await cuttable(server.port());
      const { keyFile } = server;
      machines.push(
        makeMachine({
          root,
          name: each,
          keyFile,
          depot: depot.path,
          way,
          max,
          script,
          env,
          hasClock,
        }),
      );
    }
    const config = join(root, "person/.config/quasar");
    mkdirSync(config, { recursive: true });
    cpSync(server.keyFile, join(config, "fleet.key"));
    const key = readFileSync(server.keyFile, "utf8").trim();
    const url = `http://127.0.0.1:${server.port()}`;
    const port = createFleetPort({ url, key });
    const trial = new Trial(root, { server, depot, machines, port });
    onMade(trial);
    await Promise.all(machines.map((machine) => machine.start()));
    const flags = ["--fleet", url, "--depot", depot.path, "--total-budget", "5", "--json"];
    const said = execFileSync(
      process.execPath,
      [QUASAR, "nebula", "apply", FOLDER, "--auto", ...flags],
      { cwd: fixture.work, env: person, encoding: "utf8", stdio: "pipe" },
    );
    trial.#nebula = (JSON.parse(said) as { nebulaId: string }).nebulaId;
    return trial;
  }

  get nebula(): string {
    return this.#nebula;
  }

  /** Notes a request to the model. */
  hear({ key, turnId }: { readonly key: string; readonly turnId: string }): void {
    const [, work = "", step = ""] = /^(.*), step (\d+)$/u.exec(key) ?? [];
    const machine = this.machines.find((each) => each.turns().has(turnId))?.name ?? "?";
    this.asked.push({ at: performance.now(), work, step: Number(step), turnId, machine });
  }

  /** Resolves with the first request of a turn. */
  request(work: string, step = 0): Promise<Asked> {
    return until(`a request of ${work}`, 60_000, () =>
      this.asked.find((each) => each.work === work && each.step === step),
    );
  }

  machine(name: string): Machine {
    const found = this.machines.find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no machine ${name}`);
    return found;
  }

  /** As the server has it. */
  async state(): Promise<NebulaState> {
    return stateOf(await this.#port.status(this.#nebula));
  }

  async refOf(phase: string): Promise<string> {
    const { phases } = await this.state();
    return phases.find(({ id }) => id === phase)?.ref ?? "";
  }

  /** Resolves with the machine that takes a work after a moment. */
  taken(
    work: string,
    after: number,
    { timeoutMs, not }: { readonly timeoutMs: number; readonly not?: Machine | undefined },
  ): Promise<{ readonly machine: Machine; readonly at: number }> {
    return until(`another machine has ${work}`, timeoutMs, () => {
      for (const machine of this.machines) {
        if (machine === not) continue;
        const told = machine.told.find(
          (each) => each.at > after && each.what === "takes" && each.work === work,
        );
        if (told !== undefined) return { machine, at: told.at };
      }
      return undefined;
    });
  }

  /** Who has the lane now. */
  laneHolder(): Machine | undefined {
    return this.machines.find(
      ({ told }) => told.findLast(({ work }) => work === LANE)?.what === "takes",
    );
  }

  /** Resolves once all phases are done. @throws {Late} with how they stand */
  async done(): Promise<void> {
    let last = "";
    try {
      await until("all phases are done", END_MS, async () => {
        const { phases } = await this.state();
        last = phases.map(({ id, status }) => `${id} ${status}`).join(", ");
        return phases.every(({ status }) => status === "done");
      });
    } catch (error) {
      if (error instanceof Late) throw new Late(`${error.message}: ${last}`);
      throw error;
    }
  }

  /** Has all end by themselves. @returns Leftover processes then. */
  async stop(): Promise<readonly string[]> {
    await Promise.all(this.machines.map((machine) => machine.stop()));
    const left = (): readonly string[] =>
      this.machines.flatMap(({ name }) =>
        processesOf(join(this.root, name, "/"))
          .map(commandOf)
          .filter((command) => command.startsWith(process.execPath) || command.startsWith("git "))
          .map((command) => `${name}: ${command.slice(0, 200)}`),
      );
    const isOver = await until("the workers have ended", 20_000, () => left().length === 0)
      .then(() => true)
      .catch(() => false);
    return isOver ? [] : left();
  }

  /** Ends whatever is left of it. */
  async close(): Promise<void> {
    this.#port.close();
    this.depot.release();
    await this.server.kill();
    await signalAll(join(this.root, "/"), "SIGKILL");
    for (const { way } of this.machines) await way.close();
  }
}
