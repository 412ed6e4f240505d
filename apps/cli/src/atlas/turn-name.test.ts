import { expect, test } from "vitest";
import { nameOfTurn, namedBy, shortTurn } from "./turn-name.ts";

const TASK = "task-550e8400-e29b-41d4-a716-446655440000";

test.for([
  [[undefined, undefined], { task: undefined }],
  [["task-550e8400"], { task: "task-550e8400" }],
  [[TASK], { task: TASK }],
  [["fix-null-pointer"], { task: "fix-null-pointer" }],
  [["implement-1.2"], { task: undefined, turn: { run: "implement-1", n: "2" } }],
  [["validate-1.fix-1.3"], { task: undefined, turn: { run: "validate-1.fix-1", n: "3" } }],
  [["my-task", "implement-1.2"], { task: "my-task", turn: { run: "implement-1", n: "2" } }],
  [[`${TASK}-implement-1.2`], { task: TASK, turn: { run: "implement-1", n: "2" } }],
  [["my-task", "nonsense"], undefined],
  [["my-task", "implement-1.0"], undefined],
] as const)("%j names %j", ([words, named]) => {
  expect(namedBy(words[0], words[1])).toEqual(named);
});

test("a turn is named by its run and its number there", () => {
  const turn = { run: "validate-1.fix-1", turnId: `${TASK}-validate-1.fix-1.3` };
  expect(nameOfTurn(turn)).toBe("validate-1.fix-1.3");
});

test("a turn's whole id is said without its task", () => {
  expect(shortTurn(`${TASK}-validate-1.fix-1.3`)).toBe("validate-1.fix-1.3");
  expect(shortTurn("20261126-134500-12e7db.1")).toBe("20261126-134500-12e7db.1");
});
