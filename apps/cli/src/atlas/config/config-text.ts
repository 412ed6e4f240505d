import { configText, type InitConfig } from "../../shared/init-config.ts";
import { FOLDER } from "./load.ts";
import { ATLAS, type AtlasSettings, SETTINGS } from "./settings.ts";

const PREFACE = `# Settings of atlas for this repository. What is commented out is as it is when nothing is said.
# Flags and ATLAS_* variables win over this file; this file wins over the user's own.
# Where a value runs a program, raises the budget above the default or says how long things are
# kept, atlas asks once: repeat the command with --trust-config after such a change.
# What agents may do is not for a repository to say: see docs/trust.md.
`;

/** What `atlas init` writes. */
export const CONFIG: InitConfig<AtlasSettings> = {
  folder: FOLDER,
  preface: PREFACE,
  settings: SETTINGS,
  reader: ATLAS,
  valuesOf: (checks) =>
    checks.length === 0 ? {} : { "validation.commands": checks.map(({ command }) => command) },
};

/** The file without anything that was found. */
export const pristineConfig = (): string => configText(CONFIG, {});
