import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { pushToDepot } from "../../src/entries/depot.ts";
import { aCanary, aFolder, failureCode, git, script, write } from "../fixture.ts";
import { aDepot, anotherCommit, refsAt, twoCommits } from "./fixture.ts";

const [BRANCH, LANE] = ["refs/heads/nebula/x", "refs/quasar/x/lane"];

test("moves refs only from where they are expected to be, all or none", async () => {
  const { root, first, second } = twoCommits();
  const url = await aDepot();
  const push = (...updates: { ref: string; from: string | undefined; to: string }[]) =>
    pushToDepot(root, { url, updates });
  const made = await push({ ref: BRANCH, from: "", to: first }, { ref: LANE, from: "", to: first });
  expect(made).toEqual({ kind: "pushed" });

  const other = anotherCommit(root, "other");
  const stale = { ref: LANE, from: second, to: other };
  const both = await push({ ref: BRANCH, from: first, to: second }, stale);
  expect(both).toEqual({ kind: "stale", refs: [LANE] });
  const taken = await push({ ref: BRANCH, from: "", to: second });
  expect(taken).toEqual({ kind: "stale", refs: [BRANCH] });
  const gone = await push({ ref: "refs/quasar/none", from: first, to: second });
  expect(gone).toEqual({ kind: "stale", refs: ["refs/quasar/none"] });
  expect(refsAt(url)).toBe(`${BRANCH} ${first}\n${LANE} ${first}`);

  expect(await push({ ref: BRANCH, from: first, to: second })).toEqual({ kind: "pushed" });
  expect(await push({ ref: BRANCH, from: undefined, to: first })).toEqual({ kind: "pushed" });
  expect(refsAt(url)).toBe(`${BRANCH} ${first}\n${LANE} ${first}`);
});

test("what was pushed is pushed, also with an outdated lease", async () => {
  const { root, first, second } = twoCommits();
  const url = await aDepot();
  const updates = [
    { ref: BRANCH, from: "", to: second },
    { ref: LANE, from: "", to: first },
  ];
  expect(await pushToDepot(root, { url, updates })).toEqual({ kind: "pushed" });
  expect(await pushToDepot(root, { url, updates })).toEqual({ kind: "pushed" });
  expect(await pushToDepot(root, { url, updates: [] })).toEqual({ kind: "pushed" });
});

test("of pushes with the same lease at the same time one is made, and all others are stale", async () => {
  const { root, first } = twoCommits();
  const url = await aDepot();
  await pushToDepot(root, { url, updates: [{ ref: LANE, from: "", to: first }] });
  const racers = Array.from({ length: 4 }, (_, at) => {
    const clone = join(aFolder(), "clone");
    git(root, "clone", "-q", root, clone);
    return { clone, to: anotherCommit(clone, `racer ${at}`) };
  });
  const ends = await Promise.all(
    racers.map(({ clone, to }) => {
      const updates = [
        { ref: LANE, from: first, to },
        { ref: BRANCH, from: "", to },
      ];
      return pushToDepot(clone, { url, updates });
    }),
  );
  const won = racers.filter((_, at) => ends[at]?.kind === "pushed");
  expect(won.length).toBe(1);
  expect(ends.filter(({ kind }) => kind === "stale").length).toBe(3);
  expect(refsAt(url)).toBe(`${BRANCH} ${won[0]?.to}\n${LANE} ${won[0]?.to}`);
});

test("waits for another push that has a ref locked", async () => {
  const { root, first, second } = twoCommits();
  const url = await aDepot();
  await pushToDepot(root, { url, updates: [{ ref: LANE, from: "", to: first }] });
  const lock = write(url, `${LANE}.lock`, "");
  const pushing = pushToDepot(root, { url, updates: [{ ref: LANE, from: first, to: second }] });
  await sleep(500);
  rmSync(lock);
  expect(await pushing).toEqual({ kind: "pushed" });
});

test("a push that loses at the depot itself is stale", async () => {
  const { root, first, second } = twoCommits();
  const url = await aDepot();
  await pushToDepot(root, { url, updates: [{ ref: LANE, from: "", to: first }] });
  const other = anotherCommit(root, "other");
  git(root, "push", "-q", url, `${other}:refs/quasar/objects`);
  // It runs after the lease was found to be met, and before the refs are written.
  script(
    join(url, "hooks"),
    "pre-receive",
    `unset GIT_QUARANTINE_PATH; echo ${other} > '${join(url, LANE)}'`,
  );
  const end = await pushToDepot(root, { url, updates: [{ ref: LANE, from: first, to: second }] });
  expect(end).toEqual({ kind: "stale", refs: [LANE] });
});

test("is refused by a git hook of the depot, with its words, and changes nothing", async () => {
  const { root, first, second } = twoCommits();
  const url = await aDepot();
  script(join(url, "hooks"), "update", `[ "$1" != ${BRANCH} ] || { echo "no way"; exit 1; }`);
  const updates = [
    { ref: BRANCH, from: "", to: first },
    { ref: LANE, from: "", to: second },
  ];
  const end = await pushToDepot(root, { url, updates });
  expect(end).toMatchObject({ kind: "refused", message: expect.stringContaining("no way") });
  expect(refsAt(url)).toBe("");
});

test("is refused where a ref is in the way of its name", async () => {
  const { root, first } = twoCommits();
  const url = await aDepot();
  await pushToDepot(root, { url, updates: [{ ref: LANE, from: "", to: first }] });
  const end = await pushToDepot(root, {
    url,
    updates: [{ ref: `${LANE}/x`, from: "", to: first }],
  });
  expect(end).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("cannot lock ref"),
  });
});

test.for(["none", "ssh://127.0.0.1:1/x", "https://user:secret@127.0.0.1:1/x"])(
  "says that %s is unreachable",
  async (name) => {
    const { root, first } = twoCommits();
    const url = name === "none" ? join(aFolder(), name) : name;
    const end = await pushToDepot(root, { url, updates: [{ ref: LANE, from: "", to: first }] });
    expect(end).toMatchObject({ kind: "unreachable" });
    expect(JSON.stringify(end)).not.toContain("secret");
  },
);

test("pushes nothing else, and starts nothing of this side, whatever is set", async () => {
  const { root, first } = twoCommits();
  const url = await aDepot();
  const { program, sang } = aCanary();
  git(root, "tag", "-a", "-m", "t", "v1", first);
  git(root, "config", "push.followTags", "true");
  git(root, "config", "push.gpgSign", "true");
  git(root, "config", "push.pushOption", "x");
  git(root, "config", `remote.${url}.receivepack`, program);
  script(join(root, ".git", "hooks"), "pre-push", `'${program}'`);
  const end = await pushToDepot(root, { url, updates: [{ ref: LANE, from: "", to: first }] });
  expect(end).toEqual({ kind: "pushed" });
  expect(refsAt(url)).toBe(`${LANE} ${first}`);
  expect(sang()).toBe(false);
});

test("a commit that is not here, or a name that is none, is an error", async () => {
  const { root, first } = twoCommits();
  const url = await aDepot();
  const code = (ref: string, from: string, to: string) =>
    failureCode(pushToDepot(root, { url, updates: [{ ref, from, to }] }));
  expect(await code(LANE, "", "1".repeat(40))).toBe("ERR_MISSING_OBJECT");
  expect(await code("main", "", first)).toBe("ERR_BAD_REVISION");
  expect(await code(LANE, "HEAD", first)).toBe("ERR_BAD_REVISION");
  expect(await code(LANE, "", "HEAD")).toBe("ERR_BAD_REVISION");
  const twice = { ref: LANE, from: "", to: first };
  const updates = [twice, twice];
  expect(await failureCode(pushToDepot(root, { url, updates }))).toBe("ERR_INVALID_ARGUMENT");
});
