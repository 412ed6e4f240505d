import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decodeGoState } from "../src/spec/go-state.ts";
import { loadNebula } from "../src/spec/index.ts";
import { aPlace, MANIFEST, phase, type Place, write, WRITES_BOTH } from "./place.ts";

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
