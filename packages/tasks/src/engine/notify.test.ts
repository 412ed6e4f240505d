import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { notify } from "./notify.ts";
import type { Notice } from "./parts.ts";

function aNotice(command: string): Notice {
  const worktree = mkdtempSync(join(tmpdir(), "quasar-notify-"));
  onTestFinished(() => rmSync(worktree, { recursive: true, force: true, maxRetries: 5 }));
  const message = 'needs "you"; $(touch evil)\nand\0 `more`';
  return { command, worktree, taskId: "task-1", event: "awaiting_human", message };
}

const PORTS = { env: { PATH: process.env["PATH"], OWN: "kept" } };

test("the command is told in its environment what has happened, and nothing of it is run", async () => {
  const notice = aNotice(
    'printf "%s|" "$ATLAS_TASK_ID" "$ATLAS_EVENT" "$ATLAS_MESSAGE" "$OWN" > out',
  );
  expect(await notify(notice, PORTS)).toBeUndefined();
  expect(readFileSync(join(notice.worktree, "out"), "utf8")).toBe(
    'task-1|awaiting_human|needs "you"; $(touch evil)\nand `more`|kept|',
  );
  expect(existsSync(join(notice.worktree, "evil"))).toBe(false);
});

test("without a command nothing is run", async () => {
  expect(await notify(aNotice(""), PORTS)).toBeUndefined();
});

test.for([
  ["exit 3", "the notification command failed: exit code 3"],
  ["kill -9 $$", "the notification command failed: SIGKILL"],
] as const)("what goes wrong with %s is told", async ([command, said]) => {
  expect(await notify(aNotice(command), PORTS)).toBe(said);
});

test("a command that does not end is ended, with all that it has started", async () => {
  const notice = aNotice("(until [ -e go ]; do sleep 0.1; done; touch late) & sleep 600");
  const said = await notify(notice, PORTS, 200);
  expect(said).toBe("the notification command was ended after 200 ms");
  writeFileSync(join(notice.worktree, "go"), "");
  await sleep(500);
  expect(existsSync(join(notice.worktree, "late"))).toBe(false);
});

test("where there is no such folder it is told that the command did not start", async () => {
  const notice = { ...aNotice("true"), worktree: "/nowhere/at/all" };
  expect(await notify(notice, PORTS)).toContain("did not start");
});

test("a message that no variable can hold is told by its beginning", async () => {
  const notice = { ...aNotice('printf %s "$ATLAS_MESSAGE" > out'), message: "m".repeat(300_000) };
  expect(await notify(notice, PORTS)).toBeUndefined();
  expect(readFileSync(join(notice.worktree, "out"), "utf8")).toBe("m".repeat(4_000));
});
