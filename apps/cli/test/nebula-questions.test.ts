import { join } from "node:path";
import { expect, test } from "vitest";
import { applyArgs, DEMO, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { lastRecord, type Place, quasar, records, write } from "./harness.ts";
import type { Turn } from "./scripts.ts";

const MANIFEST = '[nebula]\nname = "demo"\n';
const ONE = { "nebula.toml": MANIFEST, "1.md": phaseText("one") };
const HOSTILE = "Which \u001b[31mport\u001b]0;owned\u0007?";
const SHOWN = String.raw`Which \u{1b}[31mport\u{1b}]0;owned\u{7}?`;
const TURNS: readonly Turn[] = [
  { ...workOf("one")[0], role: "coder", match: 'was answered:\n"8080"', text: "Written." },
  {
    role: "coder",
    match: "Do one.",
    text: `QUESTION: blocker\nSUMMARY: ${HOSTILE}\nDETAIL: the tests need one\nOPTION: 80\nOPTION: 8080`,
  },
  ...workOf(),
];

const resume = (at: Place, ...more: readonly string[]) =>
  quasar(at, [...applyArgs(at, TURNS), "--resume", ...more]);

test("a blocker waits for its answer, which a person gives from any shell, once", async () => {
  const at = withDemo(ONE);
  const asked = await quasar(at, applyArgs(at, TURNS));
  expect(asked.code, asked.stderr).toBe(5);
  const [, question = ""] = /(q-[0-9a-f]{8})/u.exec(asked.stdout) ?? [];
  expect(asked.stdout).toContain(`  one      coder asks: ${SHOWN} (blocker; 80 | 8080)\n`);
  expect(asked.stdout).not.toContain("\u0007");

  const status = await quasar(at, ["nebula", "status"]);
  expect(status.stdout).toContain(
    `demo: 0 of 1 phase landed on nebula/demo, $0.00 spent
  asks     ${question} one: ${SHOWN} (blocker; 80 | 8080)
           the tests need one
  waits    one: an agent asks ${question}, and cannot continue without the answer
`,
  );
  const command = `quasar nebula answer ${question} "your answer"`;
  expect(status.stdout).toContain(`next     ${command}\n`);
  const json = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  expect(json).toMatchObject({
    plan: "open",
    questions: [{ questionId: question, phaseId: "one", role: "coder", kind: "blocker" }],
    next: [command],
  });

  const byAgent = await quasar(at, ["nebula", "answer", question, "8080"], {
    env: { ...at.env, QUASAR_RUN_ID: "r" },
  });
  expect(byAgent).toMatchObject({ code: 6, stdout: "" });
  const unknown = await quasar(at, ["nebula", "answer", "q-00000000", "8080"]);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('there is no question "q-00000000"');
  const answered = await quasar(at, ["nebula", "answer", question, "8080", "--json"]);
  expect(lastRecord(answered)).toMatchObject({
    ...{ type: "nebula_answer", phaseId: "one", decision: "answer", questionId: question },
    isTaken: true,
  });
  const again = await quasar(at, ["nebula", "answer", question, "80"]);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain(`${question}: it has an answer already, which stays`);

  const end = await resume(at, "--json");
  expect(end.code, end.stderr).toBe(0);
  const log = await quasar(at, ["nebula", "log", "demo", "--json"]);
  const kept = records(log.stdout).filter(({ questionId }) => questionId === question);
  expect(kept).toMatchObject([
    { what: "question_asked", phaseId: "one", kind: "blocker", options: ["80", "8080"] },
    { what: "question_answered", phaseId: "one", text: "8080" },
  ]);
});

test("with the gate approve the plan is asked about first, and bound to the files as they were", async () => {
  const at = withDemo({ ...ONE, "nebula.toml": `${MANIFEST}[execution]\ngate = "approve"\n` });
  const work = workOf("one");
  const asked = await quasar(at, [...applyArgs(at, work), "--json"]);
  expect(asked.code, asked.stderr).toBe(5);
  expect(asked.stdout).not.toContain("agent_start");
  const { nebulaId, next } = lastRecord(asked);
  const approve = `quasar nebula approve --nebula ${String(nebulaId)}`;
  expect(lastRecord(asked)).toMatchObject({ plan: "asked", reason: "waiting" });
  expect(next).toContain(approve);
  expect(
    (await quasar(at, ["nebula", "approve"], { env: { ...at.env, QUASAR_RUN_ID: "r" } })).code,
  ).toBe(6);

  const rejected = await quasar(at, ["nebula", "reject", "--reason", "too much", "--json"]);
  expect(lastRecord(rejected)).toMatchObject({ phaseId: "", decision: "reject", isTaken: true });
  const status = await quasar(at, ["nebula", "status"]);
  expect(status.stdout).toContain("  plan     rejected: too much\n");
  expect(status.stdout).toContain("next     quasar nebula update ");
  write(join(at.repo, DEMO), { "1.md": `${phaseText("one")}But less.\n` });
  expect((await quasar(at, ["nebula", "update", DEMO])).code).toBe(0);
  const resumed = await quasar(at, [...applyArgs(at, work), "--resume", "--json"]);
  expect(lastRecord(resumed)).toMatchObject({ plan: "asked", exit: 5 });

  expect((await quasar(at, ["nebula", "approve"])).stdout).toContain(
    "  plan     approved: its phases begin when the nebula is resumed\n",
  );
  expect((await quasar(at, ["nebula", "approve"])).code).toBe(1);
  const begun = await quasar(at, [...applyArgs(at, work), "--resume", "--json"]);
  expect(lastRecord(begun)).toMatchObject({
    plan: "open",
    phases: [{ phaseId: "one", status: "awaiting_human" }],
  });
});
