import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openRepository } from "@quasar/git";
import { initDepot } from "@quasar/git/depot";
import { createKeyManager } from "@quasar/receipts";
import { expect, onTestFinished, test } from "vitest";
import { submitNebula, stateOf, workOnFleet } from "../src/fleet/index.ts";
import { createFilePort } from "../src/port/files/file-port.ts";
import { loadNebula } from "../src/spec/index.ts";
import { agent, agentsOf, aPlace, MANIFEST, phase, write } from "./place.ts";

test("the depot has what a turn has done, and that the next one begins, before its agent is started", {
  timeout: 60_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const depot = join(place.root, "depot.git");
  await initDepot(depot);
  const server = join(place.root, "server");
  execFileSync("git", ["init", "-q", server]);
  const port = createFilePort({ commonDir: join(server, ".git") });
  onTestFinished(() => port.close());
  const stop = new AbortController();
  const { signal } = stop;
  const { id } = await submitNebula({
    ...{ port, depot, typed: {}, signal, loaded: loadNebula(place.dir) },
    repository: await openRepository(place.repo),
    base: place.git("rev-parse", "main"),
  });
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: depot, encoding: "utf8" }).trim();
  /** What the depot has when the reviewer begins. */
  const seen: string[] = [];
  const reviewer = agent("reviewer", () => {
    const refs = git("for-each-ref", "--format=%(refname)").split("\n");
    const [tip = "HEAD"] = refs.filter((ref) => ref.endsWith("/tip"));
    const [run = "HEAD"] = refs.filter((ref) => ref.endsWith("/run"));
    const turn = git("show", `${run}:checkpoint.toml`).match(/^turn\.(?:role|status) = .*$/gmu);
    seen.push(git("ls-tree", "--name-only", tip), ...(turn ?? []));
    return "APPROVED: it is there";
  });
  const coded = agentsOf({ "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) });
  const done = workOnFleet({
    ...{ port, depots: [depot], machine: "one", most: 1, ttlMs: 3000, graceMs: 1000 },
    limitsOf: () => ({ maxWorkers: 1, totalUsd: 0, phaseUsd: 5 }),
    optionsOf: (given) => ({ ...coded(given), reviewer }),
    keys: createKeyManager({ dir: join(place.root, "one", "keys") }),
    ...{ env: {}, commandEnv: process.env, stateFolder: join(place.root, "one", "quasar") },
    ...{ tell: () => {}, signal },
  });
  while (stateOf(await port.status(id)).phases.some(({ status }) => status !== "done")) {
    await sleep(100);
  }
  stop.abort();
  await done;
  expect(seen).toEqual(["a.txt\nbase.txt", "turn.role = 'reviewer'", "turn.status = 'started'"]);
});
