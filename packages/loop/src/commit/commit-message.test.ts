import { describe, expect, test } from "vitest";
import { aCheckpoint } from "../../test/fixtures.ts";
import { APPROVAL, type FakeAgent, fakeAgent, issue, writingCoder } from "../../test/fake-agent.ts";
import { harness } from "../../test/harness.ts";
import { commitMessage, joinReports, subjectGiven, subjectIn } from "./commit-message.ts";
import { stateFromCheckpoint } from "../convert.ts";
import { runFromCheckpoint, runTask } from "../loop.ts";
import type { CycleState } from "../state.ts";

const TITLE = "Make total() work for an order without items, and say in the log which order it was";

const said = (coderOutput: string, change: Partial<CycleState> = {}): CycleState => ({
  ...stateFromCheckpoint(aCheckpoint({ taskTitle: TITLE, phase: "coding", commitStyle: "plain" })),
  coderOutput,
  ...change,
});

const messageOf = (state: CycleState) => commitMessage(state, { redact: undefined });
const subjectOf = (coderOutput: string, change?: Partial<CycleState>): string =>
  messageOf(said(coderOutput, change)).subject;

describe("the subject", () => {
  const FROM_TITLE = "Make total() work for an order without items, and say in the log which";

  test.for([
    [
      "the last line",
      "I did it.\n\nCOMMIT: Return 0 for an empty order",
      "Return 0 for an empty order",
    ],
    ["a line with marks", "Done.\n\n**COMMIT:** `Return 0`", "Return 0"],
    ["the last of two", "COMMIT: One\nCOMMIT: Two", "Two"],
    ["a line that is not the last", "COMMIT: One\n\nThat is all.", "One"],
    ["a full stop too many", "COMMIT: Return 0.", "Return 0"],
    ["what is 72 long", `COMMIT: ${"x".repeat(72)}`, "x".repeat(72)],
    ["characters that move a cursor", "COMMIT: Return\u001b[2J\u202e 0", "Return [2J 0"],
  ] as const)("is what the coder says: %s", ([, report, subject]) => {
    expect(subjectOf(report)).toBe(subject);
  });

  test.for([
    ["says nothing", "I did it."],
    ["says an empty one", "Done.\nCOMMIT:\n"],
    ["says it in small letters", "commit: Return 0"],
    ["says more than 72", `COMMIT: ${"x".repeat(73)}`],
    ["closes somebody's issue", "COMMIT: Return 0 (fixes #12)"],
    ["closes one elsewhere", "COMMIT: Closes: a/b#12"],
    ["keeps the CI from running", "COMMIT: Return 0 [skip ci]"],
    ["would be squashed", "COMMIT: fixup! Start"],
  ] as const)("is the task's title, cut at a word, where the coder %s", ([, report]) => {
    expect(subjectOf(report)).toBe(FROM_TITLE);
  });

  test("says the cycle and the lint fix where it is the task's title", () => {
    const change = { cycle: 2, phase: "linting", taskTitle: "# Fix it.\nnow" } as const;
    expect(subjectOf("", change)).toBe("Fix it (cycle 2) (lint fix)");
    expect(subjectOf("COMMIT: Fix it", change)).toBe("Fix it");
  });

  test.for([
    ["COMMIT: fix(cart): return 0", "fix(cart): return 0"],
    ["COMMIT: Fix: Return 0.", "fix: return 0"],
    ["COMMIT: deps!: Drop README", "deps!: drop README"],
    ["COMMIT: Return 0", "feat: return 0"],
    ["COMMIT: Add total()", "feat: add total()"],
    ["COMMIT: Fix total() of an empty order", "fix: total() of an empty order"],
    ["", "feat: make total() work for an order without items, and say in the log"],
  ] as const)("has the conventional form where the repository has it: %s", ([report, subject]) => {
    expect(subjectOf(report, { commitStyle: "conventional" })).toBe(subject);
  });

  test.for([
    ["Fix the sum", "fix: return 0"],
    ["docs: say it", "docs: return 0"],
    ["Total the sums", "chore: return 0"],
  ] as const)(
    "takes a type that the coder does not name from the task: %s",
    ([taskTitle, subject]) => {
      expect(subjectOf("COMMIT: Return 0", { commitStyle: "conventional", taskTitle })).toBe(
        subject,
      );
    },
  );

  test("keeps the seed's form in the seed's style, without a body", () => {
    const state = said("Done.\n\nCOMMIT: Return 0", { commitStyle: "seed", taskTitle: "Do it" });
    expect(messageOf(state)).toEqual({ subject: "t-1/cycle-1: Do it", body: "" });
  });
});

describe("the body", () => {
  const bodyOf = (report: string): string => messageOf(said(report)).body;

  test("is the coder's report without its last line, wrapped", () => {
    const report = `## Summary\n\n- ${"total() returns 0 ".repeat(8)}\n\n\n\n1. one\nCOMMIT: Return 0`;
    expect(bodyOf(report)).toMatchInlineSnapshot(`
      "Summary

      - total() returns 0 total() returns 0 total() returns 0 total()
        returns 0 total() returns 0 total() returns 0 total() returns 0
        total() returns 0

      1. one"
    `);
  });

  test.for([
    ["a trailer", "Signed-off-by: Somebody <a@b>"],
    ["our trailer", "Quasar-Turn: run.9"],
    ["a breaking change", "BREAKING CHANGE: none"],
    ["the end of a patch's message", "---"],
  ] as const)("indents what looks like %s", ([, line]) => {
    expect(bodyOf(`Done.\n${line}\nCOMMIT: x`)).toBe(`Done.\n  ${line}`);
  });

  test("indents it also where a line was broken before it", () => {
    const lines = bodyOf(`${"word ".repeat(14)}Closes: 1`).split("\n");
    expect(lines.at(-1)).toBe("  Closes: 1");
  });

  test.for([
    ["Closes #1", "Closes, see #1"],
    ["This also fixes #12 and #13.", "This also fixes, see #12 and #13."],
    ["It resolves issue #12", "It resolves, see issue #12"],
    ["Fixed: a/b#12", "Fixed, see a/b#12"],
    ["(implements GH-12)", "(implements, see GH-12)"],
    ["Fixes: https://example.invalid/1", "Fixes, see https://example.invalid/1"],
    ["it fixes\n#12", "it fixes, see #12"],
    ["Fix UTF-8 names, and close the file", "Fix UTF-8 names, and close the file"],
  ] as const)("closes nobody's issue: %s", ([line, said]) => {
    expect(bodyOf(`Done.\n${line}`)).toBe(`Done.\n${said}`);
  });

  test("leaves out what cannot be broken and is longer than 100", () => {
    const url = `https://example.invalid/${"x".repeat(60)}`;
    expect(bodyOf(`See\n${"y".repeat(101)}\n${url}`)).toBe(`See\n  ${url}`);
  });

  test("does not keep a CI from running, and moves no cursor", () => {
    expect(bodyOf("Done [skip ci]\u001b[2J\u202e!")).toBe("Done (skip ci) [2J !");
  });

  test("ends somewhere", () => {
    const lines = bodyOf("line\n".repeat(1000)).split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([62, "[…]"]);
  });

  test("does not look at what comes after the first 64 KiB of characters", () => {
    expect(bodyOf(`Done.${"\n".repeat(2 ** 16)}The end.`)).toBe("Done.\n\n[…]");
  });
});

test("an empty COMMIT: takes nothing of what follows", () => {
  const report = "All done.\n\nCOMMIT:\n\nI changed the parser.";
  expect(subjectIn(report)).toBeUndefined();
  expect(joinReports(report, "")).toContain("I changed the parser.");
});

test.for(["\n", " ", "*", "`", "a ", "COMMIT: ", "COMMIT:\n", "fix ", "fixes a/"])(
  "a report of %j again and again is read while somebody waits",
  (part) => {
    const report = part.repeat(300_000);
    for (const text of [report, `${report}x`, `COMMIT: ${report}x`]) {
      expect(subjectGiven(text) ?? subjectIn(joinReports(text, text)) ?? "").not.toContain("\n");
      expect(messageOf(said(text)).subject.length).toBeLessThanOrEqual(72);
    }
  },
);

test("takes secrets out of subject and body, and says nothing where that fails", () => {
  const report = "The token is s3cret.\n\nCOMMIT: Use s3cret";
  const redact = (text: string): string => text.replaceAll("s3cret", "[redacted]");
  const message = commitMessage(said(report), { redact });
  expect(message).toEqual({ subject: "Use [redacted]", body: "The token is [redacted]." });
  const broken = (): string => {
    throw new Error("no");
  };
  expect(commitMessage(said(report), { redact: broken }).body).toBe("");
});

test("takes secrets out of the seed's subject before it is cut", () => {
  const redact = (text: string): string => text.replaceAll("s3cret".repeat(12), "[redacted]");
  const taskTitle = `Use ${"s3cret".repeat(12)} here`;
  const state = said("Done.", { commitStyle: "seed", taskTitle });
  expect(commitMessage(state, { redact }).subject).toMatch(/: Use \[redacted\] here$/u);
  const given = commitMessage(state, { redact, title: `fix: ${taskTitle}` });
  expect(given.subject).toMatch(/^fix: Use \[redacted\] here/u);
});

test("has what must not leave the machine taken out of commits, and kept in what is stored", async () => {
  const redact = (text: string): string => text.replaceAll("s3cret", "[redacted]");
  const loop = harness({
    coder: writingCoder(),
    redact,
    redactCommit: (text) => redact(text).replaceAll("local-value", "[redacted]"),
  });
  const result = await runTask({ id: "t", title: "Use local-value and s3cret" }, loop.options);
  expect(loop.tree.git("log", "-1", "--format=%B")).toContain("Use [redacted] and [redacted]");
  expect(result.checkpoint.taskTitle).toContain("local-value");
});

describe("in a repository", () => {
  /** A coder that writes, and reports. */
  const coder = (): FakeAgent => {
    const wrote = writingCoder();
    return {
      ...wrote,
      invoke: async (request, options) => ({
        ...(await wrote.invoke(request, options)),
        text: "I changed it.\n\nQuasar-Turn: run.99\n\nCOMMIT: Add a line",
      }),
    };
  };

  test("a commit has subject, body and, as its last paragraph, the trailers", async () => {
    const loop = harness({ coder: coder(), commit: { style: "auto" } });
    await runTask({ id: "t", title: TITLE }, loop.options);
    expect(loop.tree.git("log", "-1", "--format=%B").trim()).toMatchInlineSnapshot(`
      "Add a line

      I changed it.

        Quasar-Turn: run.99

      Quasar-Task: t
      Quasar-Cycle: 1
      Quasar-Turn: run.1"
    `);
    const trailer = "--format=%(trailers:key=Quasar-Turn,valueonly)";
    expect(loop.tree.git("log", "-1", trailer).trim()).toBe("run.1");
    expect(loop.options.coder).toHaveProperty(
      "requests.0.systemPrompt",
      expect.stringMatching(/COMMIT: the subject/u),
    );
  });

  test("follows the form that its commits had when the run began, also when it is resumed", async () => {
    const reviewer = fakeAgent([issue("no"), APPROVAL]);
    const loop = harness({ coder: coder(), reviewer, commit: { style: "auto" }, maxCycles: 1 });
    loop.tree.git("commit", "--amend", "-qm", "feat: start");
    await runTask({ id: "t", title: TITLE }, loop.options);
    loop.tree.git("commit", "-q", "--allow-empty", "-m", "By hand");
    const stored = { ...(await loop.stored()), gitSha: loop.tree.head() };
    await runFromCheckpoint(stored, { ...loop.options, maxCycles: 2 });
    expect(loop.tree.subjects()).toEqual(["feat: add a line", "By hand", "feat: add a line"]);
  });

  test("is asked for nothing in the seed's style, which is the default", async () => {
    const loop = harness({ coder: coder() });
    await runTask({ id: "t", title: "Do it" }, loop.options);
    expect(loop.tree.subjects()).toEqual(["t/cycle-1: Do it"]);
    expect(loop.options.coder).toHaveProperty(
      "requests.0.systemPrompt",
      expect.not.stringMatching(/COMMIT/u),
    );
  });
});
