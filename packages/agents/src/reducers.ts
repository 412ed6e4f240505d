import { reduceAcpLine } from "./acp/reduce.ts";
import { reduceClaudeLine } from "./claude/reduce.ts";
import { reduceCodexLine } from "./codex/reduce.ts";
import { reduceOpencodeLine } from "./opencode/reduce.ts";
import type { Reducer } from "./output-store.ts";
import { reduceQwenLine } from "./qwen/reduce.ts";
import { reduceScriptedLine } from "./scripted-reader.ts";

/** Whose output it is: what decides in it. */
export type OutputKind = "claude" | "codex" | "scripted" | "acp" | "opencode" | "qwen";

const REDUCERS: Readonly<Record<OutputKind, Reducer>> = {
  claude: reduceClaudeLine,
  codex: reduceCodexLine,
  scripted: reduceScriptedLine,
  acp: reduceAcpLine,
  opencode: reduceOpencodeLine,
  qwen: reduceQwenLine,
};

export const reducerOf = (kind: OutputKind): Reducer => REDUCERS[kind];
