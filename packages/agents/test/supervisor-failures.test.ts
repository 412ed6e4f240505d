import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import type { ProcessIdentity } from "@quasar/process";
import { expect, onTestFinished, test } from "vitest";
import { createClaudeAgent } from "../src/claude.ts";
import { createCommandAgent } from "../src/command.ts";
import { prewarm } from "../src/prewarm.ts";
import { findRunProcesses } from "../src/run-processes.ts";
import { supervisorErrors } from "../src/supervisor-errors.ts";
import { aProgramThatPrints, aSample } from "./program.ts";
import { aDirectory, aRequest, containing } from "./request.ts";

const SAMPLE = aSample("claude-2.1.329.stream.jsonl");

function unfinished(request: ReturnType<typeof aRequest>) {
  return { request: { ...request, prompt: "" }, process: undefined };
}

test("a turn whose stored output lost its end is a failure, and its cost is known in part only", async () => {
  const turnsDir = join(aDirectory(), "turns");
  const request = aRequest({ turnsDir });
  const agent = createClaudeAgent({ file: aProgramThatPrints(SAMPLE), env: {} });
  const whole = await agent.invoke(request);
  expect(whole).toMatchObject({ costSource: "reported" });
  expect(whole).not.toHaveProperty("failure");
  expect(await agent.adopt?.(unfinished(request))).toEqual(whole);

  const out = join(turnsDir, "1.out");
  const { size } = fs.statSync(out);
  fs.truncateSync(out, size - 10);
  expect(await agent.adopt?.(unfinished(request))).toMatchObject({
    text: "",
    failure: {
      kind: "bad-output",
      retryable: true,
      message: "The stored output of claude is damaged: its last 10 bytes are missing.",
    },
    costSource: "partial",
    costUsd: expect.any(Number),
    sessionId: whole.sessionId,
  });
  fs.rmSync(out);
  expect(await agent.adopt?.(unfinished(request))).toMatchObject({
    failure: { message: containing(`its last ${size} bytes are missing`) },
  });
});

test("half of what a command printed is not taken for its answer", async () => {
  const turnsDir = join(aDirectory(), "turns");
  const request = aRequest({ turnsDir, role: "reviewer", access: "read" });
  const agent = createCommandAgent({ file: aProgramThatPrints(["APPROVED: fine", "ISSUE: bad"]) });
  await agent.invoke(request);
  const out = join(turnsDir, "1.out");
  fs.truncateSync(out, "APPROVED: fine\n".length);
  expect(await agent.adopt?.(unfinished(request))).toMatchObject({
    text: "",
    failure: { kind: "bad-output" },
  });
});

test("an end that does not say how long the output was is read as before", async () => {
  const turnsDir = join(aDirectory(), "turns");
  const request = aRequest({ turnsDir });
  const agent = createClaudeAgent({ file: aProgramThatPrints(SAMPLE), env: {} });
  const whole = await agent.invoke(request);
  const exit = join(turnsDir, "1.exit");
  const { outBytes, ...before } = JSON.parse(fs.readFileSync(exit, "utf8")) as { outBytes: number };
  expect(outBytes).toBe(fs.statSync(join(turnsDir, "1.out")).size);
  fs.writeFileSync(exit, JSON.stringify(before));
  expect(await agent.adopt?.(unfinished(request))).toEqual(whole);
});

test("what a supervisor says of its own failure is kept with the turn, without secrets, and told", async () => {
  const secret = "a-secret-of-the-environment";
  const turnsDir = join(aDirectory(), secret, "turns");
  const request = aRequest({ turnsDir });
  const agent = createCommandAgent({
    file: aProgramThatPrints(["done"]),
    env: { MY_TOKEN: secret },
  });
  // A folder where the turn's end is to be written.
  const onStart = async ({ pid }: ProcessIdentity) =>
    fs.mkdirSync(join(turnsDir, `1.exit.${pid}.tmp`));
  const result = await agent.invoke(request, { onStart });
  expect(result.failure).toMatchObject({
    kind: "killed",
    message: containing("its supervisor failed: "),
  });
  const said = supervisorErrors({ ...request, turnsDir });
  expect(said).toMatch(/^\d{4}-\d\d-\d\dT[^]*\[redacted\]/);
  expect(said).toContain("Error");
  expect(fs.readFileSync(join(turnsDir, "1.err"), "utf8")).not.toContain(secret);
});

/** From here on a process cannot be read: no descriptor is left for that. */
function hideProcesses(): void {
  const { readFileSync } = fs;
  fs.readFileSync = ((path: string, ...rest: readonly unknown[]): unknown => {
    if (!/^\/proc\/\d+\/stat$/u.test(path)) return Reflect.apply(readFileSync, fs, [path, ...rest]);
    throw Object.assign(new Error("EMFILE: too many open files"), {
      code: "EMFILE",
      syscall: "open",
    });
  }) as typeof readFileSync;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.readFileSync = readFileSync;
    syncBuiltinESMExports();
  });
}

test.skipIf(process.platform !== "linux").for([true, false])(
  "a supervisor that cannot be read is disposed of, prewarmed before: %s",
  async (isPrewarmed) => {
    const request = aRequest({ turnsDir: join(aDirectory(), "turns") });
    const turn = { ...request, turnsDir: request.turnsDir ?? "" };
    const dispose = isPrewarmed ? prewarm(turn) : undefined;
    hideProcesses();
    const agent = createCommandAgent({ file: aProgramThatPrints(["done"]) });
    await expect(agent.invoke(request)).rejects.toMatchObject({ code: "EMFILE" });
    dispose?.();
    await expect.poll(() => findRunProcesses(request.runId)).toEqual([]);
  },
);

/** From here on every disk is full, as the system says it. */
function fillDisks(): void {
  const { statfsSync } = fs;
  const full = (path: string): fs.StatsFs => Object.assign(statfsSync(path), { bavail: 0 });
  fs.statfsSync = full as typeof statfsSync;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.statfsSync = statfsSync;
    syncBuiltinESMExports();
  });
}

test.for([
  ["its supervisor says", "2026-01-01T00:00:00Z Error: ENOSPC: no space, write\n", false],
  ["the system says", "", true],
] as const)(
  "a turn whose end had no room on the disk, as %s, was not killed: its end is not known, and the error names the disk",
  async ([, said, isFull]) => {
    const turnsDir = join(aDirectory(), "turns");
    const request = aRequest({ turnsDir });
    fs.mkdirSync(turnsDir);
    fs.writeFileSync(join(turnsDir, "1.out"), "half of it\n");
    fs.writeFileSync(join(turnsDir, "1.err"), said);
    if (isFull) fillDisks();
    const agent = createCommandAgent({ file: aProgramThatPrints(["done"]) });
    await expect(agent.adopt?.(unfinished(request))).rejects.toMatchObject({
      code: "ERR_TURN_UNREADABLE",
      message: containing(`${turnsDir} is on a full disk`),
      cause: { code: "ENOSPC", path: join(turnsDir, "1.exit") },
    });
  },
);

/** From here on Node processes find a disk full as long as room is kept there for a turn's end. */
function fillDiskUnlessFreed(turnsDir: string): void {
  const dir = aDirectory();
  const preload = join(dir, "full-disk.mjs");
  fs.writeFileSync(
    preload,
    `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { writeSync } = fs;
    const out = ${JSON.stringify(join(turnsDir, "1.out"))};
    const isOut = (fd) => fs.existsSync(out) && fs.statSync(out).ino === fs.fstatSync(fd).ino;
    fs.writeSync = (fd, ...rest) => {
      if (!fs.existsSync(${JSON.stringify(join(turnsDir, "1.room"))}) || !isOut(fd)) return writeSync(fd, ...rest);
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    };
    syncBuiltinESMExports();`,
  );
  const { execPath } = process;
  const node = join(dir, "node");
  fs.writeFileSync(node, `#!/bin/sh\nexec '${execPath}' --import '${preload}' "$@"\n`);
  fs.chmodSync(node, 0o700);
  process.execPath = node;
  onTestFinished(() => void (process.execPath = execPath));
}

test("an answer that found the disk full is there with the room that was kept for it", async () => {
  const turnsDir = join(aDirectory(), "turns");
  fillDiskUnlessFreed(turnsDir);
  const agent = createCommandAgent({ file: aProgramThatPrints(["begun", "done"]) });
  const result = await agent.invoke(aRequest({ turnsDir }));
  expect(result).not.toHaveProperty("failure");
  expect(result.text).toBe("begun\ndone");
  await expect.poll(() => fs.readdirSync(turnsDir)).not.toContain("1.room");
});

test("a turn whose end would have no room on the disk does not begin", async () => {
  const turnsDir = join(aDirectory(), "turns");
  const request = aRequest({ turnsDir });
  // A folder where the room for its end is to be kept.
  fs.mkdirSync(join(turnsDir, "1.room", "in-use"), { recursive: true });
  const begun = join(aDirectory(), "begun");
  await createCommandAgent({ command: `touch ${begun}` }).invoke(request);
  expect(fs.existsSync(begun)).toBe(false);
  expect(await createCommandAgent({ command: "true" }).find?.(unfinished(request))).toEqual({
    state: "not-started",
  });
});

test("a supervisor that has nothing to say of itself leaves no file", async () => {
  const turnsDir = join(aDirectory(), "turns");
  const request = aRequest({ turnsDir });
  await createCommandAgent({ file: aProgramThatPrints(["done"]) }).invoke(request);
  await expect
    .poll(() => fs.readdirSync(turnsDir).toSorted())
    .toEqual(["1.exit", "1.out", "1.prompt", "1.start"]);
  expect(supervisorErrors({ ...request, turnsDir })).toBe("");
});
