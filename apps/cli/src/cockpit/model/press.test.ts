import { expect, test } from "vitest";
import { aPhase, shownNebula, shownRun } from "../../../test/cockpit/facts.ts";
import { NARROW, Screen, WIDE } from "../../../test/cockpit/screen.ts";
import { bindingsOf } from "./keys.ts";
import { burst, paste } from "./press.ts";
import { FRESH } from "./ui.ts";

const DIGEST = "9c01".repeat(16);

function labelsOf(screen: Screen): readonly string[] {
  return screen.frame().bindings.flatMap(({ label }) => (label === "" ? [] : [label]));
}

test("a change is accepted only after it was shown, by its digest and its attempt", () => {
  const screen = new Screen(shownNebula(), NARROW, { selected: "login-api" });
  expect(screen.press("y").effect).toBeUndefined();
  expect(screen.press("a").effect).toBeUndefined();
  expect(screen.text()).toContain("change 9c019c019c01: 2 files, +84 -12");
  expect(screen.press("y").effect).toEqual({
    type: "decide",
    ask: { verb: "approve", phase: "login-api", attempt: 1, digest: DIGEST, questionId: "" },
    text: "",
  });
});

test("a rejection asks for a reason, then once more", () => {
  const screen = new Screen(shownNebula(), NARROW, { selected: "login-api" }).press("x", "enter");
  expect(screen.ui.overlay).toMatchObject({ kind: "input", text: "" });
  screen.type("quit y").press("backspace", "!", "enter");
  expect(screen.ui.overlay).toMatchObject({ kind: "confirm", text: "quit !" });
  expect(screen.press("y").effect).toMatchObject({ text: "quit !", ask: { verb: "reject" } });
});

test.for(["n", "esc"])("%s decides nothing", (key) => {
  const screen = new Screen(shownNebula(), NARROW, { selected: "login-api" }).press("a", key);
  expect([screen.ui.overlay, screen.effect]).toEqual([undefined, undefined]);
});

test("what is pasted is text where one types, and nothing anywhere else", () => {
  expect(paste(FRESH, "ay")).toBe(FRESH);
  const { ui } = new Screen(shownNebula(), NARROW, { selected: "login-api" }).press("x");
  expect(paste(ui, "keep\nit").overlay).toMatchObject({ text: "keep it" });
});

test("of characters that come at once those that move count, and all where one types", () => {
  expect(burst(FRESH, "ayjj")).toEqual({ ui: FRESH, keys: ["j", "j"] });
  const { ui } = new Screen(shownNebula(), NARROW, { selected: "login-api" }).press("x");
  const typed = burst(ui, "no jokes");
  expect([typed.ui.overlay, typed.keys]).toMatchObject([{ text: "no jokes" }, []]);
});

test.for([
  ["login-api", ["a accept", "x reject…", "t retry", "s skip", "p pause"]],
  ["sessions", ["p pause"]],
  ["e2e", ["s skip", "p pause"]],
  ["schema", ["p pause"]],
] as const)("the keys of %s are those that decide something of it", ([selected, labels]) => {
  const shown = labelsOf(new Screen(shownNebula(), NARROW, { selected }));
  const decide = new Set(["a", "x", "t", "s", "p"]);
  expect(shown.filter((label) => decide.has(label.charAt(0)))).toEqual(labels);
});

test("a question of an agent is answered, a plan is accepted, a pause is ended", () => {
  const asked = {
    kind: "agent",
    phase: "e2e",
    text: "Which?",
    questionId: "q-1",
    digest: "",
  } as const;
  const question = new Screen(shownNebula({ needs: [asked] }), NARROW, { selected: "e2e" });
  expect(question.press("a").type("Two").press("enter", "y").effect).toMatchObject({
    ask: { verb: "answer", questionId: "q-1" },
    text: "Two",
  });
  const plan = { kind: "plan", phase: "", text: "", questionId: "", digest: "" } as const;
  const ofPlan = new Screen(shownNebula({ needs: [plan], status: "paused" }), NARROW);
  expect(labelsOf(ofPlan)).toEqual(expect.arrayContaining(["a accept", "x reject…", "p continue"]));
  expect(ofPlan.press("a", "y").effect).toMatchObject({ ask: { verb: "approve", phase: "" } });
});

test("an agent and who looks at a run decide nothing", () => {
  const ui = { ...FRESH, selected: "login-api" };
  const asks = (canDecide: boolean): number =>
    bindingsOf(shownNebula(), ui, NARROW, canDecide).filter(({ action }) => action.type === "ask")
      .length;
  expect([asks(true), asks(false)]).toEqual([5, 0]);
  const ofRun = new Screen(shownRun(), WIDE).frame().bindings;
  expect(ofRun.some(({ action }) => action.type === "ask")).toBe(false);
});

test("one moves through the list, and through the panels of a wide screen", () => {
  const screen = new Screen(shownNebula(), WIDE, { selected: "login-api" }).press("j", "down", "k");
  expect(screen.ui.selected).toBe("sessions");
  const seen = ["tab", "tab", "tab", "shift-tab"].map((key) => screen.press(key).ui.focus);
  expect(seen).toEqual(["turns", "findings", "diff", "findings"]);
  expect(screen.press("enter").ui).toMatchObject({ focus: "findings", isZoomed: true });
  expect(screen.press("esc").ui).toMatchObject({ focus: "list", isZoomed: false });
});

test("a key leads to what needs a person, and from one to the next", () => {
  const need = { kind: "land", text: "", questionId: "", digest: "" } as const;
  const needs = [
    { ...need, phase: "login-api" },
    { ...need, phase: "docs" },
  ];
  const screen = new Screen(shownNebula({ needs }), NARROW, { selected: "e2e" });
  const seen = ["n", "n", "n"].map((key) => screen.press(key).ui.selected);
  expect(seen).toEqual(["login-api", "docs", "login-api"]);
  const alone = new Screen(shownNebula(), NARROW, { selected: "login-api" });
  expect(labelsOf(alone)).not.toContain("n needs you");
});

test("the selected phase is in sight, however many there are", () => {
  const phases = Array.from({ length: 200 }, (_, n) => aPhase(`p${n}`));
  const screen = new Screen(shownNebula({ phases, needs: [] }), NARROW, { selected: "p0" });
  screen.press(...Array.from({ length: 150 }, () => "j"));
  expect(screen.text()).toContain(">. p150");
});
