import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { depotRefs, fetchFromDepot, makeRepository, pushToDepot } from "../../src/entries/depot.ts";
import { aCanary, aFolder, anEmptyRepository, failureCode, git } from "../fixture.ts";
import { aDepot, refsAt, twoCommits } from "./fixture.ts";

async function aFilledDepot() {
  const { root, first, second } = twoCommits();
  const url = await aDepot();
  const updates = [
    { ref: "refs/quasar/n/p/e1/wip", from: "", to: first },
    { ref: "refs/quasar/n/p/e1/tip", from: "", to: second },
    { ref: "refs/quasar/nn/lane", from: "", to: second },
    { ref: "refs/x/refs/quasar/nn/lane", from: "", to: first },
  ];
  expect(await pushToDepot(root, { url, updates })).toEqual({ kind: "pushed" });
  git(root, "push", "-q", url, `${second}:refs/tags/v1`);
  return { url, first, second };
}

test("tells the refs of exact names, and those below a folder", async () => {
  const { url, first, second } = await aFilledDepot();
  const here = anEmptyRepository();
  const refs = (...patterns: string[]) => depotRefs(here, { url, patterns });
  expect(await refs("refs/quasar/nn/lane")).toEqual(new Map([["refs/quasar/nn/lane", second]]));
  const below = new Map([
    ["refs/quasar/n/p/e1/tip", second],
    ["refs/quasar/n/p/e1/wip", first],
  ]);
  expect(await refs("refs/quasar/n/*")).toEqual(below);
  expect(await refs("refs/quasar/n", "refs/none/*")).toEqual(new Map());
  expect(await depotRefs(here, { url: "/none", patterns: [] })).toEqual(new Map());
});

test("fetches what is there, into refs and as objects alone, and nothing else", async () => {
  const { url, first, second } = await aFilledDepot();
  const here = anEmptyRepository();
  git(here, "config", "remote.pushDefault", url);
  const wants = [
    { ref: "refs/quasar/n/p/e1/wip", into: "refs/quasar/in/wip" },
    { ref: "refs/quasar/nn/lane" },
    { ref: "refs/quasar/n/p/e2/wip", into: "refs/quasar/in/none" },
  ];
  const got = await fetchFromDepot(here, { url, wants });
  expect(got).toEqual(
    new Map([
      ["refs/quasar/n/p/e1/wip", first],
      ["refs/quasar/nn/lane", second],
    ]),
  );
  expect(refsAt(here)).toBe(`refs/quasar/in/wip ${first}`);
  expect(git(here, "cat-file", "-t", second)).toBe("commit\n");
  expect(existsSync(join(here, ".git", "FETCH_HEAD"))).toBe(false);
});

test("moves a ref here also backwards, and fetches nothing where nothing is there", async () => {
  const { url, first, second } = await aFilledDepot();
  const here = anEmptyRepository();
  const into = "refs/quasar/in";
  await fetchFromDepot(here, { url, wants: [{ ref: "refs/quasar/n/p/e1/tip", into }] });
  expect(refsAt(here)).toBe(`${into} ${second}`);
  await fetchFromDepot(here, { url, wants: [{ ref: "refs/quasar/n/p/e1/wip", into }] });
  expect(refsAt(here)).toBe(`${into} ${first}`);
  expect(await fetchFromDepot(here, { url, wants: [{ ref: "refs/none/x", into }] })).toEqual(
    new Map(),
  );
  expect(refsAt(here)).toBe(`${into} ${first}`);
});

test("starts no git hook and no program that the repository names", async () => {
  const { url } = await aFilledDepot();
  const here = anEmptyRepository();
  const { program, sang } = aCanary();
  git(here, "config", `remote.${url}.uploadpack`, program);
  git(here, "config", "core.fsmonitor", program);
  git(here, "config", "core.hooksPath", join(program, ".."));
  git(here, "config", "alias.ls-remote", `!${program}`);
  await fetchFromDepot(here, {
    url,
    wants: [{ ref: "refs/quasar/nn/lane", into: "refs/quasar/in" }],
  });
  expect(sang()).toBe(false);
});

test("says which depot cannot be reached, and which is none", async () => {
  const here = anEmptyRepository();
  const code = (url: string) => failureCode(depotRefs(here, { url, patterns: ["refs/quasar/*"] }));
  expect(await code(join(aFolder(), "none"))).toBe("ERR_REMOTE_UNREACHABLE");
  expect(await code("ssh://127.0.0.1:1/x")).toBe("ERR_REMOTE_UNREACHABLE");
  expect(await code("https://127.0.0.1:1/x")).toBe("ERR_REMOTE_UNREACHABLE");
  expect(await code("origin")).toBe("ERR_INVALID_ARGUMENT");
  expect(await code("--upload-pack=x")).toBe("ERR_INVALID_ARGUMENT");
  expect(await code("ext::sh -c true")).toBe("ERR_INVALID_ARGUMENT");
});

test.for(["main", "refs/*/x", "refs/../x", "-x", "HEAD"])("takes no %s for a ref", async (ref) => {
  const url = await aDepot();
  const here = anEmptyRepository();
  expect(await failureCode(depotRefs(here, { url, patterns: [ref] }))).toBe("ERR_BAD_REVISION");
  expect(await failureCode(fetchFromDepot(here, { url, wants: [{ ref }] }))).toBe(
    "ERR_BAD_REVISION",
  );
  const wants = [{ ref: "refs/quasar/x", into: ref }];
  expect(await failureCode(fetchFromDepot(here, { url, wants }))).toBe("ERR_BAD_REVISION");
});

test.for(["main", "trunk"])("a repository of our own takes any branch: %s", async (branch) => {
  const { url, second } = await aFilledDepot();
  const config = join(aFolder(), "config");
  writeFileSync(config, "[init]\n\tdefaultBranch = trunk\n");
  vi.stubEnv("GIT_CONFIG_GLOBAL", config);
  onTestFinished(() => void vi.unstubAllEnvs());
  const here = join(aFolder(), "own");
  await makeRepository(here);
  const into = `refs/heads/${branch}`;
  await fetchFromDepot(here, { url, wants: [{ ref: "refs/quasar/nn/lane", into }] });
  expect(git(here, "rev-parse", into).trim()).toBe(second);
});
