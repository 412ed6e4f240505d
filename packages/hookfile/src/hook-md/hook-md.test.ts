import { currentProcess } from "@quasar/process";
import { expect, test } from "vitest";
import {
  SAMPLE_FACTS,
  SAMPLE_VERDICTS,
  SAMPLES,
  sampleHook,
  sampleReceipt,
} from "../../test/sample-hook.ts";
import { HOOK_STATES, type HookFile, TERMINAL_STATES } from "../store/hook-file.ts";
import { AGENT_TEXT } from "./agent-text.ts";
import { HOOK_MD_COMMANDS } from "./commands.ts";
import { renderHookMd } from "./hook-md.ts";
import { transitionOnce } from "../transitions/transitions.ts";

const render = (hook: HookFile, verdicts = SAMPLE_VERDICTS) =>
  renderHookMd(hook, verdicts, SAMPLE_FACTS);

/** What stands under a heading, without what is under the next one of its depth or above. */
function under(heading: string, markdown: string): string {
  const depth = heading.indexOf(" ");
  const [, rest = ""] = markdown.split(`\n${heading}\n`);
  return rest.split(new RegExp(`^#{1,${depth}} `, "m"))[0] ?? "";
}

const sample = render(sampleHook());

test.for([
  ["initializing", {}],
  ["recovering", { recommendedAction: "retry_step" }],
  ["step_pending", { recommendedAction: "retry_step" }],
] as const)(
  "a set-up that is not known to be done is to be finished, and no branch is said to exist, in %s",
  ([state, recovery]) => {
    const text = render(
      sampleHook({
        state,
        currentStep: undefined,
        ...(state !== "initializing" && {
          recovery: {
            detectedAt: "2026-01-17T14:45:33.000Z",
            crashType: "signal",
            lastKnownState: "initializing",
            wasValidating: false,
            reason: "the set-up was interrupted and may be repeated",
            ...recovery,
          },
        }),
      }),
    );
    const action = under("## What To Do Now", text);
    expect(action).toContain("It finishes the set-up of the task");
    expect(action).not.toContain("already exists");
  },
);

test("a task that failed where no step was current says why", () => {
  const { hook } = transitionOnce(
    sampleHook({ state: "initializing", currentStep: undefined }),
    { type: "fail", reason: "the branch is taken" },
    { now: new Date(0) },
  );
  expect(under("## What To Do Now", render(hook))).toContain("`the branch is taken`");
});

test("a task that has ended names no process that drives it, and no command that takes its place", () => {
  const owner = { ...currentProcess(), pid: 4711, runId: "run-1" };
  for (const state of TERMINAL_STATES) {
    const text = render(sampleHook({ state, currentStep: undefined, owner }));
    expect(text).not.toContain("4711");
    expect(text).not.toContain(HOOK_MD_COMMANDS.resume);
  }
});

// SPEC.md, statements 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66.
test.for([
  ["begins with its title", "", /^# ATLAS Task Recovery Hook\n/],
  [
    "says to read it first",
    "",
    /^> ⚠ \*\*READ THIS FIRST\*\* - This file contains your recovery context\.\n> Do NOT proceed without understanding the current state\.$/m,
  ],
  ["names the state in a heading", "", /^## Current State: `step_running`$/m],
  [
    "names task, template and the times of start and of the last change, in full",
    "## Current State: `step_running`",
    /\*\*Task:\*\* `fix-null-pointer-config`\n[^]*\*\*Template:\*\* `bugfix`\n[^]*\*\*Started:\*\* 2026-01-17T14:30:22.000Z\n\*\*Last Updated:\*\* 2026-01-17T14:45:33.000Z\n/,
  ],
  [
    "says which step is being done, and its number",
    "## What You Were Doing",
    /^\*\*Step:\*\* `implement` \(step 3 of 7\)$/m,
  ],
  ["says which attempt it is", "## What You Were Doing", /^\*\*Attempt:\*\* 2 of 3$/m],
  [
    "says what is being worked on",
    "## What You Were Doing",
    /^\*\*Working On:\*\* `Fixing nil pointer dereference in config\/parser.go`$/m,
  ],
  [
    "lists the files that were modified, and whether they are committed",
    "### Files You Modified",
    /^- `config\/parser.go` \(modified, uncommitted\)\n- `config\/parser_test.go` \(modified, uncommitted\)$/m,
  ],
  [
    "describes the last checkpoint",
    "### Last Checkpoint",
    /^> ID: `ckpt-a1b2c3d4`\n> Time: 2026-01-17T14:42:15.000Z\n> Trigger: `git_commit`\n> Status: `Added nil check for config.Server field`$/m,
  ],
  [
    "has the last output in a fence",
    "### Your Last Output (truncated)",
    /^\n```\n> I've added the nil check [^`]*\n> [^`]*Let me continue...\n```\n/,
  ],
  ["has a section of what to do now", "", /^## What To Do Now$/m],
  [
    "names the step to continue with in a heading",
    "## What To Do Now",
    /^### ✅ RESUME: Continue the `implement` step$/m,
  ],
  [
    "numbers the actions: review, check, continue, validate",
    "### ✅ RESUME: Continue the `implement` step",
    /^1\. Review the files you modified: `config\/parser.go`, `config\/parser_test.go`\n2\. Check `git status` [^\n]*\n3\. Continue with `Fixing [^\n]*\n4\. When complete, run `atlas validate` to verify your changes\n/m,
  ],
  [
    "forbids to start over, to repeat what is done, and to create the branch again",
    "### ❌ DO NOT:",
    /^- Start over from the beginning\n- Repeat `analyze` \(already done in step 1\)\n- Repeat `plan` \(already done in step 2\)\n- Recreate the branch \(already exists: `fix\/fix-null-pointer-config`\)\n/m,
  ],
  [
    "has a table of the steps that are done",
    "## Completed Steps (DO NOT REPEAT)",
    /^\| Step +\| Status +\| Duration \| Receipt +\|\n[^\n]*\n\| 1\. `analyze` \| ✅ Completed \| 45s +\| `rcpt-001` ✓ \|\n\| 2\. `plan` +\| ✅ Completed \| 32s +\| `rcpt-002` ✓ \|\n/m,
  ],
  [
    "has the checkpoints in the order of time",
    "## Checkpoints Timeline",
    /^\| Time +\| Trigger +\| Description +\|\n[^\n]*\n[^\n]*T14:35:00[^\n]*`step_complete`[^\n]*`Analysis complete`[^\n]*\n[^\n]*T14:38:22[^]*T14:40:15[^]*T14:42:15/m,
  ],
  [
    "explains the receipts",
    "## Validation Receipts",
    /^These receipts are cryptographically signed and prove validation actually ran/m,
  ],
  [
    "has command, exit code, duration and output hash of each receipt",
    "### Receipt `rcpt-002` (`plan` step)",
    /^Command: magex lint\nExit Code: 0\nDuration: 12\.3s\nOutput Hash: sha256:a1b2c3d4e5f60{52}\n/m,
  ],
  [
    "has the verdict on each signature, and the path of its key",
    "### Receipt `rcpt-002` (`plan` step)",
    /^Signature: VALID ✓ \(verified with HD key m\/44'\/236'\/0'\/0'\/1'\)$/m,
  ],
  [
    "names what to do if it seems wrong",
    "## If Something Is Wrong",
    /^1\. Run `atlas status` [^\n]*\n2\. Run `atlas recover` [^\n]*\n3\. Run `atlas abandon` /m,
  ],
  [
    "ends with program, version and time of the state, and the mark",
    "",
    /\n_Generated by ATLAS v1\.1\.35 at 2026-01-17T14:45:33\.000Z_\n\n<!-- hook [^\n]* -->\n$/,
  ],
] as const)("HOOK.md %s", ([, heading, pattern]) => {
  expect(heading === "" ? sample : under(heading, sample)).toMatch(pattern);
});

test("what to do stands before anything that was asked or printed", () => {
  const action = sample.indexOf("## What To Do Now");
  expect(action).toBeGreaterThan(0);
  expect(action).toBeLessThan(sample.indexOf("Carry out the plan"));
  expect(action).toBeLessThan(sample.indexOf("I've added the nil check"));
});

// SPEC.md, statements 68.
test("the same hook file, verdicts and facts give the same bytes, and any change another mark", () => {
  expect(render(structuredClone(sampleHook()))).toBe(sample);
  const marks = Object.values(SAMPLES).map((hook) => render(hook).slice(-100));
  expect(new Set(marks).size).toBe(marks.length);
});

test("there is a sample of each state", () => {
  const states = new Set(Object.values(SAMPLES).map((hook) => hook.state));
  expect([...HOOK_STATES].filter((state) => !states.has(state))).toEqual([]);
});

// SPEC.md, statements 67.
test.for(Object.entries(SAMPLES))("%s has exactly one next action", ([, hook]) => {
  const action = under("## What To Do Now", render(hook));
  const headings = action.match(/^### .*$/gm) ?? [];
  expect(headings).toHaveLength(2);
  expect(headings[0]).toMatch(/^### ✅ (RESUME|WAIT|NOTHING): /);
  expect(headings[1]).toBe("### ❌ DO NOT:");
  const kind = /✅ (\w+)/.exec(headings[0] ?? "")?.[1];
  expect(action.includes("**For the person:**")).toBe(kind === "WAIT");
  expect(TERMINAL_STATES.some((state) => state === hook.state)).toBe(kind === "NOTHING");
});

test.for([
  ["initializing", "RESUME: Run `atlas resume`"],
  ["step_pending", "RESUME: Run `atlas resume`"],
  ["step_running", "RESUME: Continue the `implement` step"],
  ["step_running-git", "RESUME: Run `atlas resume`"],
  ["step_validating", "RESUME: Run `atlas resume`"],
  ["awaiting_human-review", "WAIT: A person has to review the work"],
  ["awaiting_human-attempts", "WAIT: A person has to look at a step that has used up its attempts"],
  ["recovering-retry_step", "RESUME: Run `atlas resume`"],
  ["recovering-retry_validation", "RESUME: Run `atlas resume`"],
  ["recovering-skip_step", "RESUME: Run `atlas resume`"],
  ["recovering-manual", "WAIT: A person has to choose how to recover"],
  ["recovering-await_human", "WAIT: A person has to choose how to recover"],
  ["completed", "NOTHING: The task is finished"],
  ["failed", "NOTHING: The task is finished"],
  ["abandoned", "NOTHING: The task is finished"],
] as const)("the next action of %s is %s", ([name, title]) => {
  const hook = SAMPLES[name];
  expect(hook && render(hook)).toContain(`\n### ✅ ${title}\n`);
});

test("an agent ends its step by a command, or where a runner drives the task by ending its turn", () => {
  const { "step_running-driven": driven } = SAMPLES;
  expect(sample).toContain('5. End the step with `atlas step done --summary "what you did"`');
  expect(driven && render(driven)).toContain("5. End your turn: Atlas drives this task");
  expect(driven && render(driven)).not.toContain(HOOK_MD_COMMANDS.stepDone);
});

test("a review is approved or rejected, anything else is tried again or skipped", () => {
  for (const [name, hook] of Object.entries(SAMPLES)) {
    if (hook.awaiting === undefined) continue;
    const text = render(hook);
    const isReview = name.endsWith("review");
    expect(text.includes("`atlas approve`")).toBe(isReview);
    expect(text.includes("`atlas retry`")).toBe(!isReview);
  }
});

test("what a person rejected is quoted for the next attempt", () => {
  const { "step_pending-rework": hook } = SAMPLES;
  expect(hook && under("### Why It Was Rejected", render(hook))).toContain(
    "```\n> The Cache field still panics.\n> Add a test for it.\n```",
  );
});

test.for(TERMINAL_STATES)(
  "the first line of a %s task says that there is nothing to do",
  (state) => {
    const [first] = render(sampleHook({ state })).split("\n");
    expect(first).toBe("THIS TASK IS FINISHED — DO NOTHING");
  },
);

test("every command that is named is in the list, and every one in the list is named", () => {
  const quarantined = [{ path: "/x/hook.json.damaged", foundAt: "2026-01-02T03:04:05Z" }];
  const tampered = renderHookMd(sampleHook(), SAMPLE_VERDICTS, { ...SAMPLE_FACTS, quarantined });
  const samples = Object.values(SAMPLES).map((hook) => render(hook));
  const texts = [...samples, manyOfAll(), tampered, AGENT_TEXT];
  const named = texts.flatMap((text) => text.match(/(?<=`)atlas [^`]+(?=`)|^atlas .*$/gm) ?? []);
  expect(new Set(named)).toEqual(new Set(Object.values(HOOK_MD_COMMANDS)));
});

function manyOfAll(): string {
  const { receipts, checkpoints, currentStep } = sampleHook();
  const old = checkpoints.map((one) => ({ ...one, description: "too old to be shown" }));
  const ids = receipts.map((receipt) => receipt.receiptId);
  return render(
    sampleHook({
      counts: { events: 999, receipts: 300, checkpoints: 400 },
      receipts: Array.from({ length: 20 }, () => receipts).flat(),
      checkpoints: [...old, ...Array.from({ length: 20 }, () => checkpoints).flat()],
      currentStep: currentStep && {
        ...currentStep,
        filesTouched: Array.from({ length: 70 }, (_, index) => `file-${index}.ts`),
      },
      steps: sampleHook().steps.map((step) => ({ ...step, receiptIds: [...ids, ...ids, ...ids] })),
    }),
  );
}

test("of long lists the newest are shown, and where the others are", () => {
  const text = manyOfAll();
  expect(text).not.toContain("too old to be shown");
  expect(text).toContain("The newest 20; for the 380 before them run `atlas hook checkpoints`.");
  expect(text).toContain(
    "The newest 10; for the 290 before them run `atlas hook export --format json`.",
  );
  expect(text).toContain("- and 20 more: `git status` lists them");
  expect(text).toContain("`file-4.ts` and 65 more");
  expect(text).toContain("`rcpt-002` ✓, `rcpt-001` ✓, `rcpt-002` ✓ and 3 more");
});

// SPEC.md, statements 64.
test.for([
  ["that nobody verified", undefined, "?", "not verified here"],
  [
    "that covers part of its fields",
    { kind: "valid", coverage: "partial", output: "matches" },
    "✓",
    "VALID ✓ for part of the fields (verified with HD key m/44'/236'/0'/0'/1')",
  ],
  [
    "that was changed",
    { kind: "invalid", reason: "its exit code differs", output: "matches" },
    "✗",
    "INVALID ✗ (its exit code differs)",
  ],
  [
    "of a key that is not here",
    {
      kind: "unverifiable",
      reason: "no such key",
      signedBy: "abcd",
      keyIds: [],
      output: "missing",
    },
    "?",
    "UNVERIFIABLE (no such key; signed with key abcd)",
  ],
  [
    "whose output was changed",
    { kind: "valid", coverage: "full", output: "modified" },
    "✗ (output modified)",
    "VALID ✓ (verified with HD key m/44'/236'/0'/0'/1')",
  ],
] as const)("a receipt %s is not shown as one that is sound", ([, verdict, mark, line]) => {
  const text = render(sampleHook(), new Map(verdict && [["rcpt-002", verdict]]));
  expect(under("### Receipt `rcpt-002` (`plan` step)", text)).toContain(`\nSignature: ${line}\n`);
  const row = text.split("\n").find((line) => line.startsWith("| 2. `plan`"));
  expect(row?.split("|").at(-2)?.trim()).toBe(`\`rcpt-002\` ${mark}`);
});

// SPEC.md, statements 60.
test("a step that was skipped is not to be repeated either, and says why", () => {
  const steps = sampleHook().steps.map((step, index) =>
    index === 1 ? ({ ...step, status: "skipped", note: "a plan was given" } as const) : step,
  );
  const text = render(sampleHook({ steps }));
  expect(text).toContain("- Repeat `plan` (already settled in step 2)");
  expect(text).toContain("| 2. `plan`    | ⏭ Skipped: `a plan was given` |");
});

test("a receipt of a command that failed says so in the table", () => {
  const receipts = [sampleReceipt({ exitCode: 3 })];
  expect(render(sampleHook({ receipts }))).toContain("| `rcpt-002` ✓ (exit code 3) |");
});

test.for([
  [undefined, "—"],
  [350, "350ms"],
  [12_345, "12.3s"],
  [59_999, "59.9s"],
  [125_000, "2m 5s"],
  [7_380_000, "2h 3m"],
] as const)("a step of %s ms has the duration %s", ([durationMs, shown]) => {
  const steps = sampleHook()
    .steps.slice(0, 1)
    .map((step) => ({ ...step, durationMs }));
  expect(render(sampleHook({ steps }))).toMatch(new RegExp(`Completed \\| ${shown} +\\|`));
});

// SPEC.md, statements 53.
test.for([
  ["new", false, "new, uncommitted"],
  ["new", true, "new, committed"],
  ["modified", false, "modified, uncommitted"],
  ["modified", true, "modified, committed"],
  ["deleted", false, "deleted, uncommitted"],
  ["deleted", true, "deleted, committed"],
] as const)(
  "a touched file that is %s, committed %s, is shown so",
  ([change, committed, shown]) => {
    const { currentStep } = sampleHook();
    if (currentStep === undefined) throw new Error("there is none");
    const fileChanges = [{ path: "config/parser.go", change, committed }];
    const text = render(sampleHook({ currentStep: { ...currentStep, fileChanges } }));
    expect(text).toContain(`- \`config/parser.go\` (${shown})`);
    expect(text).toContain("- `config/parser_test.go` (touched)");
  },
);

test("only of a validation that was interrupted is its output told as such", () => {
  const heading = "### Output Of The Interrupted Validation";
  const recovering = SAMPLES["recovering-retry_step"] ?? sampleHook();
  const validating = SAMPLES["recovering-retry_validation"] ?? sampleHook();
  const recovery = recovering.recovery && { ...recovering.recovery, partialOutput: "half" };
  expect(recovery?.wasValidating).toBe(false);
  expect(render({ ...recovering, recovery })).not.toContain(heading);
  expect(render(validating)).toContain(heading);
});

test("before the set-up is known to be done, the command is run in the repository, and what follows in the work tree", () => {
  const { repoPath, worktreePath } = sampleHook();
  const text = render(sampleHook({ state: "initializing" }));
  expect(text).toContain(`1. Run \`atlas resume\` in \`${repoPath}\``);
  expect(text).toContain(`2. Then run \`atlas hook context\` in \`${worktreePath}\``);
  expect(render(sampleHook({ state: "step_pending", currentStep: undefined }))).toContain(
    `1. Run \`atlas resume\` in \`${worktreePath}\``,
  );
});
