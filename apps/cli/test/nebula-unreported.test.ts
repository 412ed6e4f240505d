import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { DEMO, phaseText, withDemo } from "./a-nebula.ts";
import { lastRecord, type Place, quasar, start } from "./harness.ts";

// An agent that is a command line reports no cost: what its turn counts with is learned neither while it runs nor after.

const screens = (id: string): readonly (readonly string[])[] => [
  ["nebula", "status", id],
  ["nebula", "status", id, "--all"],
  ["nebula", "status", id, "--cost"],
  ["nebula", "show", id],
  ["nebula", "show", id, "one"],
  ["report", id],
];

/** What each screen says of cost, by its command. */
async function costsOn(at: Place): Promise<ReadonlyMap<string, readonly string[]>> {
  const status = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  const said = new Map<string, readonly string[]>();
  for (const args of screens(String(status["nebulaId"]))) {
    const printed = (await quasar(at, args)).stdout;
    const stdout = printed.replace(/.* set apart for phases at work\.$/mu, "");
    said.set(args.join(" "), [
      ...(stdout.match(/[≤≥]?\$\d+\.\d\d(?: known)?(?:, up to \$\d+\.\d\d more)?/gu) ?? []),
      ...(/[Ss]ome turns reported no cost/u.exec(stdout) === null ? [] : ["unreported"]),
    ]);
  }
  const { spentUsd, unknownUsd, hasUnreportedCosts } = status;
  return said.set("--json", [JSON.stringify([spentUsd, unknownUsd, hasUnreportedCosts])]);
}

/** How a screen marks that it does not know all. */
const UNKNOWN = /up to|[≤≥]|unreported/u;

test.for([
  ["a limit", "max_budget_usd = 6.0", "[0.75,0.75,false]"],
  ["no limit", "max_turn_budget_usd = 2.0", "[0,0,true]"],
] as const)(
  "a turn that reports no cost counts the same before and after its end, with %s",
  async ([, limits, figures]) => {
    const files = {
      "nebula.toml": `[nebula]\nname = "demo"\n[execution]\nmax_review_cycles = 4\n${limits}\n`,
      "1.md": phaseText("one"),
    };
    const at = withDemo(files);
    const [begun, go] = [join(at.outside, "begun"), join(at.outside, "go")];
    const coder = `command:touch ${begun}; until [ -e ${go} ]; do sleep 0.05; done; echo Written.; exit 3`;
    const agents = ["--coder", coder, "--reviewer", "command:true", "--total-budget", "0"];
    const budget = limits.startsWith("max_budget_usd") ? [] : ["--max-budget", "0"];
    const args = [
      "nebula",
      "apply",
      DEMO,
      "--auto",
      "--trust-config",
      ...agents,
      ...budget,
      "--json",
    ];
    const working = start(at, args);
    for (let n = 0; n < 600 && !existsSync(begun); n += 1) await sleep(50);
    const during = await costsOn(at);
    writeFileSync(go, "");
    const { code, stderr } = await working.finished;
    expect(code, stderr).toBe(3);
    const after = await costsOn(at);
    expect(during.get("--json")).toEqual([figures]);
    for (const [screen, costs] of during) {
      if (screen !== "--json") expect(costs.join(" "), screen).toMatch(UNKNOWN);
    }
    expect(after).toEqual(during);
    const { next } = lastRecord(await quasar(at, ["nebula", "show", "--json"]));
    expect(next).toEqual([...new Set(next as readonly string[])]);
  },
);
