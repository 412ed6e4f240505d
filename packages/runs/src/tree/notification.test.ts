import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { type NotificationOptions, runNotification } from "./notification.ts";

function aNotice(command: string): NotificationOptions {
  const cwd = mkdtempSync(join(tmpdir(), "quasar-notify-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  const message = 'needs "you"; $(touch evil)\nand\0 `more`';
  const said = { EVENT: "awaiting_human", MESSAGE: message };
  return { command, cwd, env: { PATH: process.env["PATH"], OWN: "kept" }, said };
}

test("the command is told in its environment what has happened, and nothing of it is run", async () => {
  const notice = aNotice('printf "%s|" "$EVENT" "$MESSAGE" "$OWN" > out');
  expect(await runNotification(notice)).toBeUndefined();
  expect(readFileSync(join(notice.cwd, "out"), "utf8")).toBe(
    'awaiting_human|needs "you"; $(touch evil)\nand `more`|kept|',
  );
  expect(existsSync(join(notice.cwd, "evil"))).toBe(false);
});

test("without a command nothing is run", async () => {
  expect(await runNotification(aNotice(""))).toBeUndefined();
});

test.for([
  ["exit 3", "the notification command failed: exit code 3"],
  ["kill -9 $$", "the notification command failed: SIGKILL"],
] as const)("what goes wrong with %s is told", async ([command, said]) => {
  expect(await runNotification(aNotice(command))).toBe(said);
});

test("a command that does not end is ended, with all that it has started", async () => {
  const notice = aNotice("(until [ -e go ]; do sleep 0.1; done; touch late) & sleep 600");
  const said = await runNotification({ ...notice, longest: 200 });
  expect(said).toBe("the notification command was ended after 200 ms");
  writeFileSync(join(notice.cwd, "go"), "");
  await sleep(500);
  expect(existsSync(join(notice.cwd, "late"))).toBe(false);
});

test("where there is no such folder it is told that the command did not start", async () => {
  const notice = { ...aNotice("true"), cwd: "/nowhere/at/all" };
  expect(await runNotification(notice)).toContain("did not start");
});

test("a message that no variable can hold is reported by its beginning", async () => {
  const said = { MESSAGE: "m".repeat(300_000) };
  const notice = { ...aNotice('printf %s "$MESSAGE" > out'), said };
  expect(await runNotification(notice)).toBeUndefined();
  expect(readFileSync(join(notice.cwd, "out"), "utf8")).toBe("m".repeat(4_000));
});
