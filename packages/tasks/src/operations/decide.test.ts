import { type HookInput, transition } from "@quasar/hookfile";
import { describe, expect, test } from "vitest";
import { hookAfter, SCENES } from "../../test/hooks.ts";
import { anotherTry, approval, finalRejection, leavingOut, rejection } from "./decide.ts";
import { decisionsOf } from "./decisions.ts";

const shown = { base: "b", tree: "t", diff_sha256: "d" };
const decisions = {
  approve: (hook) => approval(hook, shown),
  reject: (hook) => rejection(hook, "not so"),
  rejectForGood: (hook) => finalRejection(hook, "never"),
  retry: anotherTry,
  skip: (hook) => leavingOut(hook, "not needed"),
} satisfies Record<string, typeof anotherTry>;

/** What each scene takes; anything else is refused. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  pending: ["skip"],
  running: [],
  review: ["approve", "reject", "rejectForGood"],
  git: ["retry", "skip"],
  recovering: ["retry", "skip"],
  manual: ["retry", "skip"],
  abandoned: [],
  failed: [],
};

describe.for(Object.entries(SCENES))("a task that is %s", ([scene, hook]) => {
  test.for(Object.entries(decisions))("takes %s only where it waits for it", ([name, decide]) => {
    if (TAKES[scene]?.includes(name) === true) {
      const { hook: after } = transition(hook, decide(hook), { now: new Date() });
      expect(after).not.toEqual(hook);
    } else {
      expect(() => decide(hook)).toThrow(expect.objectContaining({ code: "ERR_NOT_AWAITED" }));
    }
  });
});

function after(scene: string, decide: typeof anotherTry) {
  const hook = SCENES[scene];
  if (hook === undefined) throw new Error(`no scene ${scene}`);
  return transition(hook, decide(hook), { now: new Date() }).hook;
}

test("an approval has on record what was shown", () => {
  const event = after("review", decisions.approve).history.at(-1);
  expect(event).toMatchObject({ trigger: "human_approve", details: shown });
});

test("what is left out is skipped, with the reason, and never completed", () => {
  const [step] = after("git", decisions.skip).steps;
  expect(step).toMatchObject({ status: "skipped", note: "not needed" });
});

test("what is rejected for good has failed, with what the person said", () => {
  const hook = after("review", decisions.rejectForGood);
  expect(hook.state).toBe("failed");
  expect(hook.history.at(-1)?.details).toMatchObject({
    kind: "rejected",
    reason: expect.stringContaining("never"),
  });
});

test.for(Object.entries(SCENES))(
  "a refusal carries what can be decided of a task that is %s",
  ([, hook]) => {
    const wrong = hook.awaiting?.kind === "review" ? decisions.retry : decisions.approve;
    const refused = { code: "ERR_NOT_AWAITED", decisions: decisionsOf(hook) };
    expect(() => wrong(hook)).toThrow(expect.objectContaining(refused));
  },
);

test("a crash that needs a person is not offered to be resumed", () => {
  expect(decisionsOf(SCENES["recovering"]!)[0]).toEqual({ kind: "resume" });
  expect(decisionsOf(SCENES["manual"]!)).not.toContainEqual({ kind: "resume" });
});

test("a review that comes next is not left out", () => {
  const skip: HookInput = { type: "skip_step", reason: "not needed" };
  const hook = hookAfter(skip, skip, skip, skip);
  expect(() => leavingOut(hook, "no time")).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("the next step is a review"),
      decisions: decisionsOf(hook),
    }),
  );
});
