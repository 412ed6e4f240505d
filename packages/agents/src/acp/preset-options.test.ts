import { expect, test } from "vitest";
import { acpOptionsOf, acpOptionsOfLine } from "./preset-options.ts";
import { PRESETS } from "../presets.ts";

test.for([
  ["gemini --acp", PRESETS.gemini],
  [" LANG=C /opt/bin/gemini --acp", PRESETS.gemini],
  ["copilot --acp", PRESETS.copilot],
] as const)(
  "of %j all is known that is known of the agent, but how it is started",
  ([line, of]) => {
    const { name: _name, file: _file, args: _args, ...known } = acpOptionsOf(of, "coder") ?? {};
    expect(acpOptionsOfLine(line)).toEqual(known);
  },
);

test.for(["", "my-agent --acp", "my-gemini", "echo gemini", "qwen --acp", "gemini.sh"])(
  "of %j nothing is known",
  (line) => {
    expect(acpOptionsOfLine(line)).toBeUndefined();
  },
);
