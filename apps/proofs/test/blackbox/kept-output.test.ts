import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { missing } from "../../src/blackbox/needs.ts";
import { makePlace, quasar, removePlace } from "../../src/blackbox/place.ts";

const skipped = missing("strace");
if (skipped !== undefined) console.warn(skipped);

test.skipIf(skipped !== undefined)(
  "what an agent says is on disk a second later, while it works on",
  { timeout: 60_000 },
  async () => {
    const at = makePlace("kept");
    onTestFinished(() => removePlace(at));
    const log = join(at.root, "calls");
    const agent = join(at.root, "agent.sh");
    writeFileSync(agent, "echo begins; sleep 2.5; echo ends; touch is-over\n");
    const coder = ["--coder", `command:sh ${agent}`, "--reviewer", "command:echo APPROVED: fine"];
    const calls = "trace=fsync,openat";
    await quasar(at, ["run", "Wait.", "--max-budget", "0", ...coder], {
      under: ["strace", "-f", "-y", "--seccomp-bpf", "-qq", "-e", calls, "-o", log],
    });
    const [during = "", after] = readFileSync(log, "utf8").split("is-over", 2);
    expect(after).toBeDefined();
    const synced = [...during.matchAll(/fsync\(\d+<[^>]*\/(turns[^>]*)>/gu)].map(
      ([, path]) => path,
    );
    expect(synced).toEqual(expect.arrayContaining(["turns", "turns/1.start", "turns/1.out"]));
  },
);
