import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentInvoker } from "@quasar/agents";
import { openRepository } from "@quasar/git";
import { initDepot } from "@quasar/git/depot";
import type { NebulaState } from "@quasar/nebula";
import {
  stateOf,
  submitNebula,
  type WorkerEvent,
  type WorkerOptions,
  workOnFleet,
} from "@quasar/nebula/fleet";
import { loadNebula } from "@quasar/nebula/spec";
import { createKeyManager } from "@quasar/receipts";
import { onTestFinished } from "vitest";
import { createFleetPort, type FleetPort } from "../src/index.ts";
import { memoryIngress } from "./memory-ingress.ts";
// @boundaries-ignore one place for the tests of nebulae on one machine and on several
import { agentsOf, type Place, type Work } from "../../nebula/test/place.ts";

/** A depot, and a server of this process. */
export async function aFleet(place: Place) {
  // Workers commit in repositories of their own.
  execFileSync("git", ["config", "--global", "user.name", "A"]);
  execFileSync("git", ["config", "--global", "user.email", "a@example.org"]);
  const depot = join(place.root, "depot.git");
  await initDepot(depot);
  const key = randomBytes(32).toString("hex");
  const ingress = await memoryIngress("nebula", key);
  const open = (): FleetPort => createFleetPort({ url: ingress.url, key });
  const port = open();
  onTestFinished(async () => {
    port.close();
    await ingress.close();
  });
  const told: WorkerEvent[] = [];
  const inDepot = (...args: string[]): string =>
    execFileSync("git", args, { cwd: depot, encoding: "utf8" }).trim();
  return {
    ...{ depot, port, told, inDepot },
    async submit(branch?: string) {
      return submitNebula({
        ...{ port, depot, branch, typed: {}, signal: new AbortController().signal },
        repository: await openRepository(place.repo),
        loaded: loadNebula(place.dir),
        base: place.git("rev-parse", "main"),
      });
    },
    /** A worker of a machine, until it is stopped. */
    worker(
      machine: string,
      work: Work,
      {
        reviewer,
        ...change
      }: Partial<
        Pick<WorkerOptions, "port" | "most" | "limitsOf" | "graceMs" | "optionsOf" | "plansBy">
      > & {
        readonly reviewer?: AgentInvoker | undefined;
      } = {},
    ) {
      const stop = new AbortController();
      const done = workOnFleet({
        ...{ port, depots: [depot], machine, most: 2, ttlMs: 3000, graceMs: 1000 },
        limitsOf: () => ({ maxWorkers: 2, totalUsd: 0, phaseUsd: 5 }),
        optionsOf: agentsOf(work, { reviewer }),
        keys: createKeyManager({ dir: join(place.root, machine, "keys") }),
        env: {},
        commandEnv: process.env,
        stateFolder: join(place.root, machine, "state", "quasar"),
        tell: (event) => void told.push(event),
        signal: stop.signal,
        ...change,
      });
      onTestFinished(async () => {
        stop.abort();
        await done;
      });
      return {
        stop: async () => {
          stop.abort();
          await done;
        },
      };
    },
    state: async (id: string): Promise<NebulaState> => stateOf(await port.status(id)),
    async until(id: string, isSo: (state: NebulaState) => boolean): Promise<NebulaState> {
      for (let n = 0; n < 600; n += 1) {
        const state = stateOf(await port.status(id));
        if (isSo(state)) return state;
        await sleep(100);
      }
      throw new Error(JSON.stringify(told.slice(-12), undefined, 1));
    },
  };
}

export const isDone = ({ phases }: NebulaState): boolean =>
  phases.every(({ status }) => status === "done");
