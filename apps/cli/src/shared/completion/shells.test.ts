import { expect, test } from "vitest";
import { SHELLS } from "./shells.ts";

test.for([
  ["bash", "complete -F _quasar quasar quasar-loop\n"],
  ["zsh", "#compdef quasar quasar-loop\n"],
  ["zsh", "  compdef _quasar quasar quasar-loop\n"],
  ["fish", "complete -c quasar -c quasar-loop -k "],
] as const)("in %s an alias is completed, and what it stands for: %j", ([shell, line]) => {
  const script = SHELLS[shell]?.("quasar", "quasar-loop");
  expect(script).toContain(line);
  expect(script).toContain("quasar-loop complete -- ");
  expect(script).not.toContain("(quasar complete");
  expect(SHELLS[shell]?.("quasar", "quasar")).not.toContain("quasar-loop");
});
