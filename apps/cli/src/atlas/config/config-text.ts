import { ATLAS, SETTINGS } from "./settings.ts";

const PREFACE = `# Settings of atlas for this repository, as they are when nothing is said.
# Flags and ATLAS_* variables win over this file; this file wins over the user's own.
# Where a value runs a program, raises the budget above the default or says how long things are
# kept, atlas asks once: repeat the command with --trust-config after such a change.
`;

/** The file that `atlas init` writes: every setting, with its meaning and its default. */
export function configText(): string {
  const entries = ATLAS.names.map((name) => {
    const { key, help, fallback } = SETTINGS[name];
    const value = isTable(fallback) ? "{}" : JSON.stringify(fallback);
    return `# ${help}\n# ${key} = ${value}\n`;
  });
  return [PREFACE, ...entries].join("\n");
}

function isTable(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value);
}
