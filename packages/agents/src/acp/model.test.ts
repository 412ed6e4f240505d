import { expect, test } from "vitest";
import { aSample } from "../../test/program.ts";
import { aRequest } from "../../test/request.ts";
import { acpAdapter } from "../acp.ts";
import { COPILOT } from "./known.ts";

const ENDED = {
  ...{ started: true, exitCode: 0, exitSignal: null },
  ...{ stderrTail: "", durationMs: 1, orphansEnded: 0 },
};

test.for([
  [{ COPILOT_MODEL: "claude-sonnet-4-5" }, "computed"],
  [{}, "unknown"],
] as const)("a turn of Copilot with %j has a cost that is %s", ([env, costSource]) => {
  const { args, ...known } = COPILOT;
  const adapter = acpAdapter({ ...known, args: args.coder, env });
  const reader = adapter.open(aRequest(), undefined, () => undefined);
  reader.read(aSample("copilot-1.0.102.acp.jsonl"));
  expect(reader.result(ENDED)).toMatchObject({ costSource });
});
