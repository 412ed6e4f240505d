import { Command } from "commander";
import { expect, test } from "vitest";
import { typedIn, withTyped } from "./typed.ts";

function typed(...args: readonly string[]) {
  const command = new Command("resume")
    .argument("[run]")
    .option("--max-budget <usd>")
    .option("--lint <command>", "", (value: string, all: string[] | undefined) => [
      ...(all ?? []),
      value,
    ])
    .option("--accept-head")
    .option("--json");
  command.parse(args, { from: "user" });
  return typedIn(command, "quasar resume");
}

test.for([
  [
    "quasar resume --accept-dirty   # yours",
    "quasar resume r-1 --accept-dirty --max-budget 10   # yours",
  ],
  [
    "git commit -m … && quasar resume --accept-head   # or git stash -u",
    "git commit -m … && quasar resume r-1 --accept-head --max-budget 10   # or git stash -u",
  ],
  ["quasar resume --trust   # only if", "quasar resume r-1 --trust --max-budget 10   # only if"],
  ["quasar resume other   # follows it", "quasar resume other --max-budget 10   # follows it"],
  ["quasar resume r-1 --max-budget 12", "quasar resume r-1 --max-budget 12"],
  [
    'quasar resume r-1 --allow-tool "Bash(npm test *)"',
    'quasar resume r-1 --allow-tool "Bash(npm test *)" --max-budget 10',
  ],
  ["quasar resume", "quasar resume r-1 --max-budget 10"],
  ["quasar resume --help", "quasar resume --help"],
  ["quasar resumed", "quasar resumed"],
  ["git status   # then resolve the conflicts", "git status   # then resolve the conflicts"],
] as const)("%s becomes %s", ([step, told]) => {
  expect(withTyped(step, typed("r-1", "--max-budget", "10", "--json"))).toBe(told);
});

test.for([
  ["quasar run -f <a file>", "quasar run -f <a file> --coder codex"],
  ['quasar run "Fix it"', 'quasar run "Fix it" --coder codex'],
  ["… | quasar run -", "… | quasar run - --coder codex"],
  ["quasar run --coder claude", "quasar run --coder claude --file /nope"],
] as const)("what stands in the place of a missing file is not beside it: %s", ([step, told]) => {
  const run = new Command("run").argument("[task]").option("--coder <agent>");
  run.option("-f, --file <path>").parse(["-f", "/nope", "--coder", "codex"], { from: "user" });
  expect(withTyped(step, typedIn(run, "quasar run"))).toBe(told);
});

test("a flag that was given twice is repeated twice, and quoted", () => {
  const said = withTyped("quasar resume", typed("--lint", "npm run lint", "--lint", "true"));
  expect(said).toBe("quasar resume --lint 'npm run lint' --lint true");
});

test("what was not typed is not told", () => {
  expect(withTyped("quasar resume --accept-head", typed())).toBe("quasar resume --accept-head");
});

test("an option that says no is repeated as it was typed", () => {
  const command = new Command("apply").argument("<named>").option("--auto").option("--no-input");
  command.option("--total-budget <usd>").parse(["a", "--auto", "--no-input"], { from: "user" });
  const typedApply = typedIn(command, "quasar nebula apply");
  const advised = "quasar nebula apply a --auto --total-budget 5";
  expect(withTyped(advised, typedApply)).toBe(`${advised} --no-input`);
});

test.for([
  ["quasar nebula apply a --auto --resume", "quasar nebula apply a --auto --resume --mirror"],
  [
    "quasar nebula apply .n/a --auto --fresh",
    "quasar nebula apply .n/a --auto --fresh --base v1 --mirror",
  ],
] as const)("a resume takes no flag that is about a beginning: %s", ([step, told]) => {
  const command = new Command("apply").argument("<named>").option("--auto").option("--fresh");
  command.option("--base <commit>").option("--mirror");
  command.parse(["a", "--auto", "--fresh", "--base", "v1", "--mirror"], { from: "user" });
  expect(withTyped(step, typedIn(command, "quasar nebula apply"))).toBe(told);
});
