import * as v from "valibot";
import { flag, list, text, whole, word } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import {
  hookState,
  quarantinedFile,
  receipt,
  receiptChain,
  statement,
  stepCheckpoint,
  verdict,
} from "./parts.ts";

const taskId = text("The task");

export const checkpointLine = result("checkpoint", "A checkpoint was made", {
  taskId,
  checkpoint: stepCheckpoint,
});

export const checkpointsLine = result("checkpoints", "The checkpoints of a task", {
  taskId,
  checkpoints: list(stepCheckpoint, "Oldest first"),
});

export const hookContextLine = result("hook_context", "What an agent has to know of a task", {
  taskId,
  state: hookState,
  dir: text("Its folder"),
  text: text("HOOK.md, as it would be written now"),
});

export const hookRegenerateLine = result("hook_regenerate", "HOOK.md is what hook.json says", {
  taskId,
  path: text("The file"),
  isChanged: flag("Whether it was written again"),
});

export const hookAcknowledgeLine = result(
  "hook_acknowledge",
  "A person has seen what was changed",
  {
    taskId,
    acknowledged: list(quarantinedFile, "Files that something other than atlas has changed"),
  },
);

export const receiptLine = result("receipt", "Whether a receipt is what was signed", {
  taskId,
  workspaceId: text("Its workspace"),
  receipt,
  verdict,
  statement: v.optional(statement),
  chain: receiptChain,
});

export const gitHookLine = result("git_hook", "What became of the git hook", {
  taskId,
  kind: word(
    ["off", "present", "installed", "printed", "kept", "absent", "removed", "left"],
    "printed: a person may put the line into it. kept: other tasks need it. left: a person has to take our lines out",
  ),
  path: v.optional(text("The git hook's file")),
  how: v.optional(word(["created", "inserted", "refreshed"], "Of installed")),
  line: v.optional(text("Of printed: the line for a person to put into it")),
  reason: v.optional(text("Of printed and left: why it was not changed")),
  taskCount: v.optional(whole("Of kept: how many tasks need it")),
  what: v.optional(word(["file", "block"], "Of removed: all of it, or the lines of atlas")),
});

export type CheckpointLine = Printed<typeof checkpointLine>;
export type CheckpointsLine = Printed<typeof checkpointsLine>;
export type HookContextLine = Printed<typeof hookContextLine>;
export type HookRegenerateLine = Printed<typeof hookRegenerateLine>;
export type HookAcknowledgeLine = Printed<typeof hookAcknowledgeLine>;
export type ReceiptLine = Printed<typeof receiptLine>;
export type GitHookLine = Printed<typeof gitHookLine>;
