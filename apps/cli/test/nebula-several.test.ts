import { join } from "node:path";
import { expect, test } from "vitest";
import { phaseText, withDemo, workOf } from "./a-nebula.ts";
import { lastRecord, quasar, write } from "./harness.ts";
import { agents } from "./scripts.ts";

// Two nebulae are unfinished: each command finds the one that it has a meaning for, or names both as it was typed.

const manifest = (name: string, keys: string) =>
  `[nebula]\nname = "${name}"\n[execution]\n${keys}\n`;

test("a command that may mean several nebulae names each, or finds the only one that it is for", async () => {
  const at = withDemo({
    "nebula.toml": manifest("demo", 'gate = "review"'),
    "1.md": phaseText("one"),
    "2.md": phaseText("both", 'depends_on = ["one"]'),
  });
  const other = ".nebulas/other";
  write(join(at.repo, other), {
    "nebula.toml": manifest("prices & more", 'gate = "approve"'),
    "2.md": phaseText("both"),
    "3.md": phaseText("three"),
  });
  const script = agents(at, workOf("one", "both", "three"));
  const begin = (dir: string) =>
    quasar(at, ["nebula", "apply", dir, "--auto", "--trust-config", "--json", ...script]);
  const demo = String(lastRecord(await begin(".nebulas/demo"))["nebulaId"]);
  const id = String(lastRecord(await begin(other))["nebulaId"]);
  const nebula = (...args: readonly string[]) => quasar(at, ["nebula", ...args]);
  const refusal = async (...args: readonly string[]) => lastRecord(await nebula(...args, "--json"));
  const each = (command: (of: string) => string) => [
    `${command(id)}   # prices & more`,
    `${command(demo)}   # demo`,
  ];

  const status = await nebula("status");
  expect(status.code).toBe(0);
  expect(status.stdout).toContain("prices & more: 0 of 2 phases landed");
  expect(status.stdout).toContain("demo: 0 of 2 phases landed");
  expect(status.stdout).toContain(`  next     quasar nebula status ${id} # prices & more\n`);
  expect(status.stdout).toContain(`           quasar nebula status ${demo} # demo\n`);

  const several = { exit: 2, message: "several nebulae are meant; name one by its id" };
  expect(await refusal("pause")).toMatchObject({
    ...several,
    next: each((of) => `quasar nebula pause ${of}`),
  });
  expect(await refusal("skip", "both", "--reason", "not now")).toMatchObject({
    ...several,
    next: each((of) => `quasar nebula skip both --nebula ${of} --reason 'not now'`),
  });
  const looks = each((of) => `quasar nebula status ${of}`);
  const idle = "several nebulae are unfinished, and this does nothing for any of them now";
  expect(await refusal("stop", "--now")).toMatchObject({ exit: 2, message: idle, next: looks });
  expect(await refusal("retry", "both")).toMatchObject({ exit: 2, message: idle, next: looks });
  expect(await refusal("retry", "bot")).toMatchObject({
    exit: 2,
    message: 'no unfinished nebula has a phase bot; did you mean "both"?',
    next: each((of) => `quasar nebula status ${of} --all`),
  });
  expect(await refusal("answer", "q-12345678", "yes")).toMatchObject({
    exit: 2,
    message: 'there is no question "q-12345678"',
  });

  // What is neither a folder nor a name is answered as everywhere.
  const unknown = 'there is no nebula "demos" in this repository; did you mean "demo"?';
  for (const command of ["plan", "update"]) {
    expect(await refusal(command, "demos")).toMatchObject({
      exit: 2,
      message: unknown,
      next: looks,
    });
  }
  expect(await refusal("update", "demo")).toMatchObject({
    exit: 2,
    message: "demo is no folder: the nebula demo has another one",
    next: [`quasar nebula update ${join(at.repo, ".nebulas/demo")}`],
  });

  // One alone has the phase, waits for its approval, or is paused.
  expect((await nebula("diff", "one", "--landed")).code).toBe(0);
  expect((await nebula("approve", "one")).code).toBe(0);
  expect(await refusal("approve")).toMatchObject({ nebulaId: id, decision: "approve" });
  expect(await refusal("pause", demo)).toMatchObject({ isPaused: true });
  expect(await refusal("continue")).toMatchObject({ nebulaId: demo, isPaused: false });
});
