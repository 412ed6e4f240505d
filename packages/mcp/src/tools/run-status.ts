import { setTimeout as sleep } from "node:timers/promises";
import type { NebulaFacts } from "@quasar/nebula/facts";
import type { RunFacts } from "@quasar/runs/facts";
import * as z from "zod/v4";
import { openAny } from "../places/read.ts";
import { anyId } from "./inputs.ts";
import { commandOf } from "./needs.ts";
import { tool } from "./tool.ts";

const LOOK_MS = 1000;

export const runStatus = tool({
  name: "run_status",
  title: "Status of a run or nebula",
  description:
    "Says where a run or nebula stands. With wait_s it waits up to that long until it is no longer at work or a person is needed. Status waiting_for_person: show the person the command in needs; only a person may type it.",
  input: z.strictObject({
    id: anyId,
    wait_s: z.int().min(0).max(50).default(0).describe("Seconds to wait; 0: answer at once"),
  }),
  async call({ id, wait_s: waitS }, { signal, progress, ...places }) {
    const startedAt = performance.now();
    const look = await openAny(places, id);
    for (;;) {
      const found = await look();
      const status = found.kind === "run" ? runStatusOf(found.facts) : nebulaStatusOf(found.facts);
      const passedS = (performance.now() - startedAt) / 1000;
      if (!isAtWork(status) || passedS >= waitS || signal.aborted) {
        return { origin: `${found.kind} ${id}`, facts: status };
      }
      await progress(passedS, waitS, `${status.status}, ${status.spentUsd.toFixed(2)} USD`);
      const leftMs = Math.max(0, waitS - passedS) * 1000;
      await sleep(Math.min(LOOK_MS, leftMs), undefined, { signal }).catch(() => {});
    }
  },
});

function isAtWork({ status }: { readonly status: string }): boolean {
  return status === "running" || status === "working";
}

function runStatusOf(run: RunFacts) {
  const { id, task, status, reason, coder, reviewer, cycle, maxCycles, verdict, next } = run;
  const { baseSha, headSha, startedAt, lastAt, problems } = run;
  const last = run.turns.at(-1);
  return {
    kind: "run",
    id,
    status,
    reason,
    task,
    ...{ coder, reviewer, cycle, maxCycles, verdict },
    lastTurn: last && { turnId: last.turnId, role: last.role, summary: last.summary },
    spentUsd: run.money.spentUsd,
    maxUsd: run.money.maxUsd,
    openFindings: run.findings.filter((finding) => finding.status !== "fixed").length,
    ...{ baseSha, headSha, startedAt, lastAt, problems, next },
  };
}

function nebulaStatusOf(nebula: NebulaFacts) {
  const { id, name, branch, landedCount, phaseCount, planVerdict, needs } = nebula;
  const { baseSha, tipSha, startedAt, lastAt, lane } = nebula;
  return {
    kind: "nebula",
    nebulaId: id,
    status: needs.length > 0 ? "waiting_for_person" : nebula.status,
    name,
    ...{ branch, landedCount, phaseCount, planVerdict },
    needs: needs.map((need) => ({ ...need, command: commandOf(need, id) })),
    spentUsd: nebula.money.spentUsd,
    maxUsd: nebula.money.maxUsd,
    phases: nebula.phases.map((phase) => ({
      phase: phase.id,
      title: phase.title,
      status: phase.status,
      standing: phase.standing,
      isWorkedOn: phase.isWorkedOn,
      limitedUntil: phase.retryAt,
      reason: phase.reason,
      dependsOn: phase.dependsOn,
      runs: phase.attempts.map(({ runId }) => runId),
      landedSha: phase.landedSha,
    })),
    ...{ lane, baseSha, tipSha, startedAt, lastAt },
  };
}
