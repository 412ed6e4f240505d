import { expect, test } from "vitest";
import { apply, withDemo } from "./a-nebula.ts";
import { lastRecord, quasar } from "./harness.ts";

test("a nebula's report has what its status says, by its name and as what was worked on last", async () => {
  const at = withDemo();
  expect((await apply(at)).code).toBe(5);
  const status = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  const report = lastRecord(await quasar(at, ["report", "demo", "--json"]));
  expect(report["type"]).toBe("nebula_report");
  const { type: _type, isFolderChanged: _isChanged, isFinished: _isFinished, ...same } = status;
  expect(report).toMatchObject(same);
  expect(report).toMatchObject({
    needs: [{ kind: "land", phaseId: "two" }],
    landings: [{ phaseId: "one", landing: 1, isVerified: false, verifications: [] }],
    lives: [{ end: "waiting" }],
    crashCount: 0,
  });
  const { stdout, code } = await quasar(at, ["report"]);
  expect(code).toBe(0);
  expect(stdout).toContain("**Stopped** · 1 of 2 phases landed on `nebula/demo` · $");
  expect(stdout).toContain("- `two`: its change: approve or reject it (");
  for (const step of report["next"] as string[]) expect(stdout).toContain(`\`${step}\``);
  const id = String(report["nebulaId"]);
  expect((await quasar(at, ["report", id])).stdout).toBe(stdout);
  const phases = report["phases"] as { runIds: string[] }[];
  const run = lastRecord(await quasar(at, ["report", phases[0]?.runIds[0] ?? "", "--json"]));
  expect(run["type"]).toBe("report");
  expect((await quasar(at, ["nebula", "log"])).stdout).toContain("stopped: waits for you");
});
