import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepAnswer, keepQuestion } from "../people/question-files.ts";
import { requireEntry } from "../port/index.ts";
import { nebulaHome } from "../state/home.ts";
import { keepLease, keptLeases, type WorkLease } from "./kept-leases.ts";
import { type Asked, askedOf } from "./questions.ts";

/** What an offer has of a phase whose agents have asked a hundred long questions, each answered at length. */
function muchAsked(letter: string): { readonly asked: Asked; readonly folder: string } {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "questions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = nebulaHome(folder, "aaaaaaaaaa");
  for (let n = 0; n < 100; n += 1) {
    const id = `q-${n.toString(16).padStart(8, "0")}`;
    const at = new Date(1000 * n).toISOString();
    keepQuestion(home, {
      ...{ id, phase: "a", attempt: 1, runId: "run", turnId: "turn", role: "coder", cycle: 1 },
      ...{ kind: "blocker", summary: "Which?", detail: letter.repeat(2000), options: [] },
      askedAt: at,
    });
    keepAnswer(home, { question: id, by: "person", text: letter.repeat(4000), at });
  }
  return { asked: askedOf(home, "a"), folder };
}

test.for(["a", "ä", "字", "\u0001"])(
  "what agents have asked fits an offer, and the file of its lease: %j",
  (letter) => {
    const { asked, folder } = muchAsked(letter);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked[0]?.question.id).toBe("q-00000063");
    const offer = {
      ...{ work: "p1", runId: "run", agents: [], labels: [] },
      task: { phase: "a", maxBudgetUsd: 0, asked },
    };
    const lease: WorkLease = {
      ...{ nebula: "aaaaaaaaaa", work: "p1", epoch: { n: 1, writer: "00000000" } },
      ...{ ttlMs: 30_000, from: [], offer },
    };
    requireEntry({ as: "state", onto: "", state: "", taken: [], offers: [offer as never] });
    keepLease(join(folder, "leases"), lease);
    expect(keptLeases(join(folder, "leases"))).toEqual([lease]);
  },
);
