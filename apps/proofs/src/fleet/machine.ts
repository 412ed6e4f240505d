import { spawn } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { processesOf } from "@quasar/torture";
import { QUASAR } from "../blackbox/place.ts";
import { makeClock } from "./clock.ts";
import type { Cuttable } from "./cuttable.ts";
import { beginNamespace, inNamespace } from "./namespace.ts";
import { commandOf, isKeptWorker, signalAll, turnOf } from "./processes.ts";

/** A line that a worker has printed. */
export interface Told {
  /** As `performance.now()` has it. */
  readonly at: number;
  /** Such as `takes` and `leaves`. */
  readonly what: string;
  /** Of these: the phase's ref, or the lane. */
  readonly work?: string | undefined;
}

/** Whether a process is meant, of those of a machine. */
type Part = "all" | "worker" | "all but agents";

/** A machine of a fleet: a home of its own, and processes that see those of no other machine. */
export interface Machine {
  readonly name: string;
  readonly home: string;
  readonly way: Cuttable;
  readonly told: readonly Told[];
  /** Starts its worker, and the machine where that is gone. */
  start(): Promise<void>;
  /** Ends processes at once. */
  kill(part: Part): Promise<void>;
  freeze(part: Part): Promise<void>;
  thaw(): Promise<void>;
  /** Has its worker save and give back what is under way. */
  stop(): Promise<void>;
  /** Sets its wall clock so many seconds before or after the right time. */
  setClock(seconds: number): void;
  /** Turns with a process here. */
  turns(): ReadonlySet<string>;
  /** All that its workers have printed. */
  readonly log: string;
}

export interface MachineOptions {
  /** Of the trial. */
  readonly root: string;
  readonly name: string;
  readonly keyFile: string;
  readonly depot: string;
  readonly way: Cuttable;
  readonly max: number;
  /** Without its folder of sessions. */
  readonly script: object;
  readonly env: Readonly<Record<string, string>>;
  /** Whether its clock can be set. */
  readonly hasClock: boolean;
}

/** How long a lease lasts, in seconds. */
export const TTL_S = 10;

export function makeMachine(options: MachineOptions): Machine {
  const { name, keyFile, depot, way, max, script } = options;
  // With the separator: one machine's name may begin with another's.
  const root = join(options.root, name, "/");
  const home = join(root, "home");
  const config = join(home, ".config/quasar");
  for (const each of [config, join(root, "tmp"), join(root, "sessions")]) {
    mkdirSync(each, { recursive: true });
  }
  cpSync(keyFile, join(config, "fleet.key"));
  const scriptFile = join(root, "script.json");
  writeFileSync(scriptFile, JSON.stringify({ ...script, sessions: join(root, "sessions") }));
  const agent = JSON.stringify(`scripted:${scriptFile}`);
  writeFileSync(join(config, "config.toml"), `coder = ${agent}\nreviewer = ${agent}\n`);
  const clock = options.hasClock ? makeClock(root) : undefined;
  const env = { ...options.env, ...clock?.env, HOME: home, TMPDIR: join(root, "tmp") };
  const url = `http://127.0.0.1:${way.port}`;
  const log = join(root, "worker.log");
  const told: Told[] = [];
  let init: number | undefined;

  const isMeant: Readonly<Record<Part, (pid: number) => boolean>> = {
    all: () => true,
    worker: (pid) => turnOf(pid) === "" && commandOf(pid).includes(" worker "),
    "all but agents": (pid) => turnOf(pid) === "",
  };

  return {
    ...{ name, home, way, told, log },
    async start() {
      if (init === undefined || commandOf(init) === "")
        init = await beginNamespace(name, root, env);
      const flags = ["--depot", depot, "--max", `${max}`, "--ttl", `${TTL_S}`, "--json"];
      const worker = [process.execPath, QUASAR, "worker", "--fleet", url, ...flags];
      const [file = "", ...args] = inNamespace(init, worker);
      const { stdout, stderr } = spawn(file, args, {
        ...{ cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true },
      });
      for (const stream of [stdout, stderr]) {
        createInterface({ input: stream }).on("line", (line) => {
          const at = performance.now();
          appendFileSync(log, `${(at / 1000).toFixed(2)} ${line}\n`);
          if (line.startsWith("{"))
            told.push({ at, ...(JSON.parse(line) as Pick<Told, "what" | "work">) });
        });
      }
    },
    kill: (part) => signalAll(root, "SIGKILL", isMeant[part]),
    freeze: (part) => signalAll(root, "SIGSTOP", isMeant[part]),
    thaw: () => signalAll(root, "SIGCONT"),
    stop: () =>
      signalAll(root, "SIGTERM", (pid) => {
        const command = commandOf(pid);
        return command.startsWith(process.execPath) && isMeant.worker(pid) && !isKeptWorker(pid);
      }),
    setClock(seconds) {
      if (clock === undefined) throw new Error(`the clock of ${name} cannot be set`);
      clock.set(seconds);
    },
    turns: () =>
      new Set(
        processesOf(root)
          .map(turnOf)
          .filter((turn) => turn !== ""),
      ),
  };
}
