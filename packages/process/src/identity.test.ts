import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { currentProcess, isAlive, parseIdentity } from "./identity.ts";

const self = currentProcess();

function endedPid(): number {
  return spawnSync(process.execPath, ["--version"]).pid;
}

test.for([
  ["this process", {}, true],
  ["its pid with another start", { startTime: (self.startTime ?? 0) + 1 }, false],
  ["its pid before the last boot", { bootId: "another" }, false],
  [
    "this process, by the name that the host had before",
    { host: "before.example" },
    self.bootId === undefined ? undefined : true,
  ],
  [
    "its pid with another start, by the name that the host had before",
    { host: "before.example", startTime: (self.startTime ?? 0) + 1 },
    false,
  ],
  [
    "its pid and start, of another boot of another host",
    { host: "another.example", bootId: "another" },
    undefined,
  ],
  ["a process that has ended", { pid: endedPid() }, false],
  [
    "a process that has ended, where its start is unknown",
    { pid: endedPid(), startTime: undefined },
    false,
  ],
  ["this process, where its start is unknown", { startTime: undefined, bootId: undefined }, true],
] as const)("tells of %s", ([, change, alive]) => {
  expect(isAlive({ ...self, ...change })).toBe(alive);
});

test.for(["", null, [], "x", { pid: 0, host: "h" }, { pid: 1 }, { pid: 1.5, host: "h" }])(
  "finds no identity in %j",
  (value) => {
    expect(parseIdentity(value)).toBeUndefined();
  },
);

test("reads back what it described", () => {
  const stored: unknown = JSON.parse(JSON.stringify({ ...self, more: 1 }));
  expect(parseIdentity(stored)).toEqual(self);
});
