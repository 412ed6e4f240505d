import type { AgentInvoker, AgentResult } from "@quasar/agents";
import { expect, test } from "vitest";
import { answerPhase } from "../src/people/answer.ts";
import { updateNebula } from "../src/engine/update.ts";
import { loadNebula } from "../src/spec/index.ts";
import {
  agentsOf,
  aPlace,
  commonDir,
  MANIFEST,
  newest,
  phase,
  type Place,
  write,
} from "./place.ts";

const WORK = { "Phase a": (tree: string) => write(tree, { a: "a" }) };
const FILES = { "nebula.toml": MANIFEST, "a.md": phase("a") };

/** Agents of which one fails in its first turn, and whose turns began. */
function failingOnce(role: "coder" | "reviewer") {
  const turns: string[] = [];
  let hasFailed = false;
  const of = (agent: AgentInvoker): AgentInvoker => ({
    ...agent,
    async invoke(request, ...rest): Promise<AgentResult> {
      turns.push(request.role);
      const result = await agent.invoke(request, ...rest);
      if (request.role !== role || hasFailed) return result;
      hasFailed = true;
      return {
        ...result,
        text: "",
        failure: { kind: "auth", message: "It died.", retryable: false },
      };
    },
  });
  const optionsOf: ReturnType<typeof agentsOf> = (spec) => {
    const { coder, reviewer } = agentsOf(WORK)(spec);
    return { coder: of(coder), reviewer: of(reviewer), maxRetries: 0 };
  };
  return { turns, optionsOf };
}

const retry = (place: Place) =>
  answerPhase(commonDir(place), newest(place), { verb: "retry", phase: "a" });

test("a retry of a phase whose reviewer failed continues with the review", async () => {
  const place = aPlace({}, FILES);
  const { turns, optionsOf } = failingOnce("reviewer");
  const { reason, state } = await place.apply({}, { optionsOf });
  expect([reason, state.phases[0]?.status]).toEqual(["failed", "failed"]);
  expect(retry(place)).toEqual({ kind: "done" });
  const end = await place.apply({}, { optionsOf });
  expect(end.reason).toBe("done");
  expect(end.state.phases[0]).toMatchObject({ attempt: 1, runs: state.phases[0]?.runs });
  expect(turns).toEqual(["coder", "reviewer", "reviewer"]);
});

test.for(["coder", "reviewer"] as const)(
  "a retry after a failed %s begins again where there is nothing to review, or its text is another one",
  async (role) => {
    const place = aPlace({}, FILES);
    const { turns, optionsOf } = failingOnce(role);
    expect((await place.apply({}, { optionsOf })).reason).toBe("failed");
    if (role === "reviewer") {
      write(place.dir, { "a.md": phase("a", 'labels = ["b"]') });
      updateNebula(commonDir(place), newest(place), loadNebula(place.dir));
    }
    expect(retry(place)).toEqual({ kind: "done" });
    const { reason, state } = await place.apply({}, { optionsOf });
    expect([reason, state.phases[0]?.attempt]).toEqual(["done", 2]);
    expect(turns.slice(-2)).toEqual(["coder", "reviewer"]);
  },
);
