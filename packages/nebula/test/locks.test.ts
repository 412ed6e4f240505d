import { once } from "node:events";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acquireLock } from "@quasar/durable";
import { currentProcess } from "@quasar/process";
import { expect, onTestFinished, test, vi } from "vitest";
import { stopAsked, stopEngine, takeStop } from "../src/people/stop.ts";
import { nebulaHome } from "../src/state/home.ts";
import { lockEngine, lockNebula, lockUnlessEngine } from "../src/state/lock.ts";
import { refuseWorkedOn } from "../src/state/unfinished.ts";

const reading = vi.hoisted(() => ({ before: (): void => {} }));

vi.mock(import("@quasar/durable"), async (original) => {
  const durable = await original();
  return {
    ...durable,
    readWholeFile: (...args: Parameters<typeof durable.readWholeFile>) => {
      reading.before();
      return durable.readWholeFile(...args);
    },
  };
});

const STATE = { id: "abcdefghij", name: "demo" };

function aHome() {
  const commonDir = mkdtempSync(join(tmpdir(), "nebula-lock-"));
  onTestFinished(() => rmSync(commonDir, { recursive: true, force: true }));
  const home = nebulaHome(commonDir, STATE.id);
  mkdirSync(home.dir, { recursive: true });
  return { commonDir, home };
}

test("a stop that comes while an engine takes another one is taken after it", () => {
  const { commonDir, home } = aHome();
  const engine = lockEngine(home);
  expect(stopEngine(commonDir, STATE, { isNow: false })).toBe("left");
  reading.before = () => {
    reading.before = () => {};
    expect(stopEngine(commonDir, STATE, { isNow: true })).toBe("left");
  };
  expect(takeStop(home)).toMatchObject({ isNow: false });
  expect(takeStop(home)).toMatchObject({ isNow: true });
  expect(takeStop(home)).toBeUndefined();
  // Until it has ended, others see that it stops; of another engine nobody has asked that.
  expect(stopAsked(home, currentProcess())).toMatchObject({ isNow: true });
  expect(stopAsked(home, { ...currentProcess(), pid: process.ppid })).toBeUndefined();
  engine.release();
  expect(stopEngine(commonDir, STATE, { isNow: true })).toBe("idle");
});

test("a command that has the lock for a moment is no engine: it is waited for", async () => {
  const { commonDir, home } = aHome();
  const durable = join(import.meta.dirname, "../../durable/src/index.ts");
  const program = `
    import { acquireLock } from ${JSON.stringify(durable)};
    acquireLock(${JSON.stringify(home.lock)}); console.log("held"); setTimeout(() => {}, 1500);`;
  const holder = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  expect(stopEngine(commonDir, STATE, { isNow: false })).toBe("idle");
  lockNebula(home).release();
});

test("a command that keeps the lock is named, and is no engine either", { timeout: 60_000 }, () => {
  const { commonDir, home } = aHome();
  const lock = acquireLock(home.lock);
  refuseWorkedOn(commonDir, STATE);
  const held = expect.objectContaining({ code: "ERR_LOCKED" }) as Error;
  expect(() => lockUnlessEngine(home)).toThrow(held);
  lock.release();
});

test("what an engine of another machine has left is no engine once the lock is free", () => {
  const { commonDir, home } = aHome();
  const elsewhere = { pid: process.pid, host: "elsewhere", bootId: "another", startTime: 1 };
  writeFileSync(home.engine, JSON.stringify(elsewhere));
  refuseWorkedOn(commonDir, STATE);
  expect(stopEngine(commonDir, STATE, { isNow: false })).toBe("idle");
  lockEngine(home).release();
});

test("who has the lock as an engine is one until it is released", () => {
  const { commonDir, home } = aHome();
  const engine = lockEngine(home);
  expect(lockUnlessEngine(home)).toBeUndefined();
  expect(() => refuseWorkedOn(commonDir, STATE)).toThrow("works on the nebula demo");
  expect(() => lockNebula(home)).toThrow(
    expect.objectContaining({
      code: "ERR_LOCKED",
      message: expect.stringContaining("another engine works on this nebula: process ") as string,
      next: [
        { shell: `quasar nebula status ${STATE.id}` },
        { shell: `quasar nebula stop ${STATE.id}` },
      ],
    }) as Error,
  );
  engine.release();
  const lock = lockUnlessEngine(home);
  expect(lock).toBeDefined();
  lock?.release();
  refuseWorkedOn(commonDir, STATE);
});
