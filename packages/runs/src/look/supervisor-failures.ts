import { lstatSync, readdirSync } from "node:fs";
import { supervisorErrors } from "@quasar/agents/turns";
import type { Workspace } from "../workspace.ts";
import { turnsPath } from "./turn.ts";

/** What the supervisor of a turn printed of its own failure. */
export interface SupervisorFailure {
  readonly turnId: string;
  /** Without secrets; not cleaned for a terminal. */
  readonly text: string;
}

const ERROR_FILE = /^([1-9]\d{0,8})\.err$/u;

/** The turns of a run whose supervisors failed, in their order. */
export function supervisorFailures(
  workspace: Workspace,
  runId: string,
): readonly SupervisorFailure[] {
  const turnsDir = turnsPath(workspace, runId);
  if (lstatSync(turnsDir, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const numbers = readdirSync(turnsDir).flatMap((name) => ERROR_FILE.exec(name)?.[1] ?? []);
  return numbers
    .toSorted((a, b) => Number(a) - Number(b))
    .map((n) => {
      const turnId = `${runId}.${n}`;
      return { turnId, text: supervisorErrors({ runId, turnId, turnsDir }) };
    })
    .filter(({ text }) => text !== "");
}
