import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { portsOf } from "../src/context/ports.ts";
import { aFolder } from "./a-nebula.ts";
import { agentsOf, aPlace, MANIFEST, phase, type Work, write } from "./place.ts";

const base = (state: string, tree: string): string | undefined =>
  portsOf(state, tree)["QUASAR_PORT_BASE"];

test("each work tree that is there has a hundred ports of its own, and keeps them", () => {
  const state = aFolder({});
  const trees = ["a", "b", "c"].map((name) => join(state, "trees", name));
  for (const tree of trees) mkdirSync(tree, { recursive: true });
  const [a = "", b = "", c = ""] = trees;
  expect(trees.map((tree) => base(state, tree))).toEqual(["20000", "20100", "20200"]);
  rmSync(b, { recursive: true });
  expect(base(state, c)).toBe("20200");
  const d = join(state, "trees", "d");
  mkdirSync(d);
  expect(base(state, d)).toBe("20100");
  expect(base(state, a)).toBe("20000");
  expect(readlinkSync(join(state, "ports", "1"))).toBe(d);
});

test("where all ports are taken a work tree has none", () => {
  const state = aFolder({});
  const all = Array.from({ length: 128 }, (_, at) => join(state, "trees", `${at}`));
  for (const tree of all) mkdirSync(tree, { recursive: true });
  const bases = all.map((tree) => base(state, tree));
  expect(bases.at(-2)).toBe("32600");
  expect(bases.at(-1)).toBeUndefined();
});

test("agents, checks, setup and verification have the ports of their work tree", async () => {
  const log = join(aFolder({}), "log");
  const execution = `[execution]
setup = ["echo setup $QUASAR_PORT_BASE >> ${log}"]
verify = ["echo verify $QUASAR_PORT_BASE >> ${log}"]
`;
  const files = { "nebula.toml": MANIFEST + execution, "a.md": phase("a"), "b.md": phase("b") };
  const place = aPlace({}, files);
  const seen = new Map<string, string | undefined>();
  let begun = 0;
  const meet = async (): Promise<void> => {
    begun += 1;
    await vi.waitFor(() => expect(begun).toBe(2), 20_000);
  };
  const works =
    (name: string): Work[string] =>
    async (tree, { env }) => {
      await meet();
      seen.set(name, env?.["QUASAR_PORT_BASE"]);
      write(tree, { [`${name}.txt`]: "x\n" });
    };
  const work: Work = { "Phase a": works("a"), "Phase b": works("b") };
  const checkPorts = `echo check $QUASAR_PORT_BASE >> ${log}`;
  const { reason } = await place.apply(work, {
    optionsOf: (spec) => ({
      ...agentsOf(work)(spec),
      filters: [{ name: "ports", command: checkPorts }],
    }),
  });
  expect(reason).toBe("done");
  const lines = new Set(readFileSync(log, "utf8").split("\n"));
  const ofPhases = [...seen.values()].map(String);
  expect(new Set(ofPhases).size).toBe(2);
  for (const port of ofPhases) {
    expect(port).toMatch(/^2\d\d00$/u);
    expect(lines).toContain(`setup ${port}`);
    expect(lines).toContain(`check ${port}`);
  }
  const [verify = ""] = [...lines].filter((line) => line.startsWith("verify "));
  expect(ofPhases).not.toContain(verify.slice("verify ".length));
  expect(readdirSync(join(place.root, "state", "quasar", "ports"))).toContain("0");
});
