import { createRedactor } from "@quasar/agents/environment";
import { expect, test, vi } from "vitest";
import { aFolder, aSpec } from "../../test/a-nebula.ts";
import type { Engine } from "../context/context.ts";
import { runShell } from "./run-shell.ts";

const LIMITS = vi.hoisted(() => ({ timeoutMs: 2000, maxOutputBytes: 200_000 }));

vi.mock(import("@quasar/runs/tree"), async (load) => {
  const real = await load();
  return { ...real, runCommand: (spec) => real.runCommand({ ...spec, ...LIMITS }) };
});

const SECRET = "k3y-of-a-service-0123456789";

/** What is shown of a command that runs a program of Node's. */
async function shown(program: string) {
  const engine = {
    ...{ commandEnv: process.env, portsOf: () => ({}), now: () => new Date() },
    redact: createRedactor({ SERVICE_TOKEN: SECRET }),
    ...{ spec: aSpec({ a: [] }), signal: new AbortController().signal },
    store: { current: { id: "abcdefghij" } },
  } as unknown as Engine;
  const script = `const secret = ${JSON.stringify(SECRET)};
    const lines = (bytes) => "line of an output\\n".repeat(19999).slice(0, bytes - 1) + "\\n";
    const print = (text) => require("node:fs").writeSync(1, text);
    ${program}`;
  const command = `exec "${process.execPath}" -e '${script}'`;
  return runShell(engine, { command, path: aFolder({}), dir: aFolder({}) });
}

/** Each part of the secret that is long enough to be told from chance. */
const PARTS = Array.from({ length: SECRET.length - 5 }, (_, at) => SECRET.slice(at, at + 6));

test.for([
  ["at what is shown", `print(lines(500) + secret + lines(3990))`],
  ["at what is read", `print(lines(500) + (secret + "\\n").repeat(3000).slice(11))`],
  ["at what is read of one line", `print("x".repeat(500) + secret.repeat(3000).slice(11))`],
  [
    "at the limit of the output",
    `print(lines(${LIMITS.maxOutputBytes - 10}) + secret + lines(3000))`,
  ],
] as const)("of a secret that is cut %s nothing is shown", async ([, program]) => {
  const { tail } = await shown(program);
  expect(PARTS.filter((part) => tail.includes(part))).toEqual([]);
});

test("the end of an output is shown, from the beginning of a line", async () => {
  const { tail } = await shown(`print(lines(70000) + "the end\\n")`);
  expect(tail).toMatch(/^line of an output\n/u);
  expect(tail).toMatch(/\nthe end$/u);
  expect(tail.length).toBeGreaterThan(3900);
  expect(tail.length).toBeLessThanOrEqual(4000);
  expect((await shown(`print("short")`)).tail).toBe("short");
  expect((await shown(`print("x".repeat(70000))`)).tail).toBe("x".repeat(4000));
});

test.for([
  [
    "for the time it took",
    `setInterval(() => {}, 1000); print("begun\\n")`,
    /after 30 minutes.*: begun$/u,
  ],
  [
    "for what it printed",
    `for (;;) print(lines(9000))`,
    /more than 64 MiB.*: line of an output\n/u,
  ],
] as const)("a command that Quasar ends %s says so", async ([, program, words]) => {
  const { outcome } = await shown(program);
  expect(outcome).toMatch(/^exit 124: Quasar ended it/u);
  expect(outcome).toMatch(words);
});

test("a command that ends by itself says how", async () => {
  expect((await shown(`print("bad"); process.exitCode = 3`)).outcome).toBe("exit 3: bad");
});
