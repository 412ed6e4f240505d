import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decodeGoState } from "../src/spec/go-state.ts";
import { loadNebula } from "../src/spec/index.ts";
import { agentsOf, aPlace, MANIFEST, phase, type Place, write, WRITES_BOTH } from "./place.ts";

const FILES = { "nebula.toml": MANIFEST, "a.md": phase("a") };
const fileOf = ({ dir }: Place): string => join(dir, "nebula.state.toml");
const warnings = ({ told }: Place) =>
  told.flatMap((each) => (each.type === "warning" ? [each.message] : []));

test("the mirror is written where it is asked for, and nowhere else", async () => {
  const place = aPlace({}, FILES);
  const before: string[] = [];
  await place.apply(WRITES_BOTH, {
    mirror: true,
    onEvent: (event) => {
      if (event.type === "candidate_made") before.push(readFileSync(fileOf(place), "utf8"));
    },
  });
  expect(decodeGoState(before[0] ?? "").state.phases.get("a")?.status).toBe("in_progress");
  const { state } = decodeGoState(readFileSync(fileOf(place), "utf8"));
  expect(state).toMatchObject({ nebulaName: "demo", totalCostUsd: 0.02 });
  expect(state.phases.get("a")?.status).toBe("done");
  expect(statSync(fileOf(place)).mode & 0o777).toBe(0o600);
  expect(place.git("log", "--format=", "--name-only", "--all")).not.toContain("nebula.state.toml");

  const other = aPlace({}, FILES);
  await other.apply(WRITES_BOTH);
  expect(existsSync(fileOf(other))).toBe(false);
});

test("one that is there is followed, and what is in it of others stays", async () => {
  const place = aPlace({}, FILES);
  const gone = '[phases.gone]\nbead_id = "b-2"\nstatus = "done"\nours = 1\n';
  const a = '[phases.a]\nbead_id = "b-1"\nstatus = "created"\nmine = true\n';
  writeFileSync(fileOf(place), `version = 1\nnebula_name = "demo"\nmore = 7\n${a}${gone}`);
  await place.apply(WRITES_BOTH);
  const { state } = decodeGoState(readFileSync(fileOf(place), "utf8"));
  expect(state.extra).toEqual({ more: 7 });
  expect(state.phases.get("a")).toMatchObject({
    beadId: "b-1",
    status: "done",
    extra: { mine: true },
  });
  expect(state.phases.get("gone")).toMatchObject({ beadId: "b-2", extra: { ours: 1 } });
});

test.for([
  ["of a later version", 'version = 9\nnebula_name = "demo"\n'],
  ["damaged", "no toml ="],
])("one that is %s is left alone, which is reported and stops nothing", async ([, text]) => {
  const place = aPlace({}, FILES);
  writeFileSync(fileOf(place), text ?? "");
  expect((await place.apply(WRITES_BOTH, { mirror: true })).reason).toBe("done");
  expect(readFileSync(fileOf(place), "utf8")).toBe(text);
  expect(warnings(place)).toEqual([expect.stringContaining("nebula.state.toml is not written: ")]);
});

test("one that git tracks is left alone", async () => {
  const place = aPlace({ "n/nebula.state.toml": "version = 1\n" }, FILES);
  const dir = join(place.repo, "n");
  write(dir, FILES);
  const given = { loaded: loadNebula(dir), resumed: undefined, mirror: true };
  expect((await place.apply(WRITES_BOTH, given)).reason).toBe("done");
  expect(readFileSync(join(dir, "nebula.state.toml"), "utf8")).toBe("version = 1\n");
  expect(warnings(place)[0]).toContain("is tracked by git: it is not written");
});

test("with the mirror the checkpoint of each phase stands beside it until the phase is approved", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("B b") });
  const seen = new Map<string, string>();
  const names = () => readdirSync(place.dir).filter((name) => /^checkpoint\..*\.toml$/u.test(name));
  const optionsOf = (spec: { readonly title: string }) => {
    const { coder, reviewer } = agentsOf({})(spec);
    let turns = 0;
    const invoke: typeof reviewer.invoke = async (request) => {
      const result = await reviewer.invoke(request);
      turns += 1;
      if (turns === 1) return { ...result, text: "ISSUE:\nSEVERITY: major\nDESCRIPTION: more" };
      for (const name of names()) seen.set(name, readFileSync(join(place.dir, name), "utf8"));
      return result;
    };
    return { coder, reviewer: { ...reviewer, invoke } };
  };
  const limits = { maxWorkers: 1, totalUsd: 0, phaseUsd: 5 };
  expect((await place.apply({}, { optionsOf, limits, mirror: true })).reason).toBe("done");
  const [first, second] = [...seen.keys()].toSorted();
  expect([first, second]).toEqual(["checkpoint.a.toml", expect.stringMatching(/^checkpoint\.~/u)]);
  expect(seen.get("checkpoint.a.toml")).toContain("phase_id = 'a'\nnebula_name = 'demo'");
  expect(seen.get("checkpoint.a.toml")).toContain("cycle = 1");
  const left = ["a.md", "b.md", "nebula.state.toml", "nebula.toml"];
  expect(readdirSync(place.dir).toSorted()).toEqual(left);

  const without = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  await without.apply({}, { optionsOf: agentsOf({}) });
  expect(readdirSync(without.dir).toSorted()).toEqual(["a.md", "nebula.toml"]);
});

test.for(["by another program", "by git"])(
  "a checkpoint that is there %s is left alone",
  async (whose) => {
    const files = { "nebula.toml": MANIFEST, "a.md": phase("a") };
    const folder = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [`n/${name}`, text]),
    );
    const fixture = new URL("../../checkpoint/test/fixtures/go-populated.toml", import.meta.url);
    const ofGo = readFileSync(fixture, "utf8").replace(/^phase_id = .*$/mu, 'phase_id = "a"');
    const tracked = whose === "by git" ? { "n/checkpoint.a.toml": "x\n" } : {};
    const place = aPlace({ ...folder, ...tracked }, {});
    const dir = join(place.repo, "n");
    const path = join(dir, "checkpoint.a.toml");
    if (whose !== "by git") writeFileSync(path, ofGo);
    const before = readFileSync(path, "utf8");
    const loaded = loadNebula(dir);
    const end = await place.apply({}, { loaded, resumed: undefined, mirror: true });
    expect(end.reason).toBe("done");
    expect(readFileSync(path, "utf8")).toBe(before);
  },
);
