import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { expect, test } from "vitest";
import { nebulaNow } from "../src/people/now.ts";
import { loadNebula } from "../src/spec/load.ts";
import { listNebulae, unfinishedOf } from "../src/state/list.ts";
import {
  agentsOf,
  aPlace,
  commonDir,
  GATED,
  MANIFEST,
  newest,
  phase,
  type Work,
  write,
  WRITES_BOTH,
} from "./place.ts";

test("a run that was cut off in a repository that is moved continues once a person accepts it", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const stop = new AbortController();
  const turns: boolean[] = [];
  const work: Work = {
    "Phase a": (tree) => {
      turns.push(existsSync(join(tree, "first.txt")));
      write(tree, turns.length === 1 ? { "first.txt": "1\n" } : { "second.txt": "2\n" });
    },
  };
  const optionsOf = (spec: { readonly title: string }) => {
    const { coder, reviewer } = agentsOf(work)(spec);
    const invoke: typeof reviewer.invoke = async (request) => {
      const result = await reviewer.invoke(request);
      if (turns.length > 1) return result;
      // It is cut off with a commit of its first cycle.
      stop.abort();
      return { ...result, text: "ISSUE:\nSEVERITY: major\nDESCRIPTION: more" };
    };
    return { coder, reviewer: { ...reviewer, invoke } };
  };
  const cut = await place.apply(work, { optionsOf, signal: stop.signal });
  expect(cut.reason).toBe("interrupted");
  const repo = join(place.root, "moved");
  renameSync(place.repo, repo);
  const repository = await openRepository(repo);
  const { base } = cut.state;
  const resume = async (trustsRuns: boolean) => {
    const [resumed] = listNebulae(repository.commonDir);
    return place.apply(work, {
      optionsOf,
      repository,
      resumed,
      loaded: undefined,
      base,
      trustsRuns,
    });
  };
  await expect(resume(false)).rejects.toMatchObject({
    code: "ERR_FOREIGN_RUN",
    next: [{ shell: `quasar nebula apply ${cut.state.id} --auto --resume --trust` }],
  });
  expect(listNebulae(repository.commonDir)[0]?.phases[0]).toMatchObject({ status: "running" });
  const { reason, state } = await resume(true);
  expect(reason).toBe("done");
  expect(state.phases[0]).toMatchObject({ attempt: 1, runs: [cut.state.phases[0]?.runId] });
  expect(turns).toEqual([false, true]);
  const file = join(repository.commonDir, "refs/heads/nebula/demo");
  expect(readFileSync(file, "utf8").trim()).toBe(state.phases[0]?.candidate);
});

test("a folder that was moved is known by its new place once it is resumed from there", async () => {
  const place = aPlace({}, { "nebula.toml": GATED, "a.md": phase("a") });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("waiting");
  const dir = join(place.root, "moved");
  renameSync(place.dir, dir);
  const loaded = loadNebula(dir);
  const resumed = unfinishedOf(commonDir(place), dir, "demo");
  const { state } = await place.apply(WRITES_BOTH, { loaded, resumed });
  expect([resumed?.dir, state.dir, newest(place).dir]).toEqual([place.dir, dir, dir]);
  write(dir, { PAUSE: "" });
  const { pauseEnds } = await nebulaNow(commonDir(place), newest(place));
  expect(pauseEnds).toEqual([`rm ${join(dir, "PAUSE")}`]);
  // By its id, it stays so.
  rmSync(join(dir, "PAUSE"));
  await place.apply(WRITES_BOTH, { loaded: undefined, resumed: newest(place) });
  expect(newest(place).dir).toBe(dir);
});

test.for([
  ["its link to the repository is removed", (tree: string) => rmSync(join(tree, ".git"))],
  ["it is moved away", (tree: string) => renameSync(tree, `${tree}.gone`)],
] as const)(
  "a turn whose work tree is lost is taken again, and not taken for one that changed nothing: %s",
  async ([, lose]) => {
    const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
    let turns = 0;
    const work: Work = {
      "Phase a": (tree) => {
        turns += 1;
        write(tree, { "a.txt": `${turns}\n` });
        if (turns === 1) lose(tree);
      },
    };
    const cut = await place.apply(work);
    expect(cut.state.phases[0]).toMatchObject({ status: "running" });
    const { reason } = await place.apply(work);
    expect([reason, turns]).toEqual(["done", 2]);
    expect(place.git("show", "nebula/demo:a.txt")).toBe("2");
  },
);
