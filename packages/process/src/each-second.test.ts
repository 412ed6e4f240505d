import { spawnSync } from "node:child_process";
import { expect, onTestFinished, test, vi } from "vitest";
import { eachSecond } from "./each-second.ts";

test("all that look each second share one timer, which goes with the last of them", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const calls: string[] = [];
  const endOne = eachSecond(() => calls.push("one"), { keepsAlive: false });
  vi.advanceTimersByTime(700);
  const endTwo = eachSecond(() => calls.push("two"), { keepsAlive: true });
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(300);
  expect(calls).toEqual(["one", "two"]);
  endOne();
  vi.advanceTimersByTime(1000);
  expect(calls).toEqual(["one", "two", "two"]);
  endTwo();
  expect(vi.getTimerCount()).toBe(0);
});

test.for([
  [false, ""],
  [true, "called"],
] as const)("a process stays for a listener that keeps it alive: %s", ([keepsAlive, printed]) => {
  const module = new URL("each-second.ts", import.meta.url).href;
  const program = `
    const { eachSecond } = await import(${JSON.stringify(module)});
    const end = eachSecond(() => { console.log("called"); end(); }, { keepsAlive: ${keepsAlive} });`;
  const args = ["--input-type=module", "--eval", program];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ stdout: stdout.trim(), status }).toEqual({ stdout: printed, status: 0 });
});
