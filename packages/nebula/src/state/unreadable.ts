import { dirname } from "node:path";
import { DurableError } from "@quasar/durable";
import { hasErrno } from "@quasar/process/files";
import { messageOf } from "@quasar/runs/internal";
import { shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";

/** A nebula that began and whose state cannot be read: which folder and branch are its own is not known. */
export interface UnreadableNebula {
  readonly id: string;
  /** Absolute path of its state. */
  readonly path: string;
  /** Why: it is damaged, of a later version, or another user's. */
  readonly error: unknown;
}

const MOST_SHOWN = 3;

/** Whether an error says of a state that it cannot be read as it is; any other says nothing of it. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof NebulaError || error instanceof DurableError) return true;
  return hasErrno(error, "EACCES", "EPERM", "ENOTDIR");
}

/**
 * Why nothing is done that needs to know of all nebulae of a repository.
 *
 * @param all - Those that cannot be read: one at least.
 */
export function unreadableError(all: readonly UnreadableNebula[]): NebulaError {
  const isLater = all.every(({ error }) => isOfLaterVersion(error));
  const code = isLater ? "ERR_INCOMPATIBLE_VERSION" : "ERR_DAMAGED";
  return new NebulaError(code, unreadableText(all), { next: unreadableSteps(all) });
}

/** Which nebulae cannot be read, and why. */
export function unreadableText(all: readonly UnreadableNebula[]): string {
  const shown = all.slice(0, MOST_SHOWN);
  const texts = shown.map(({ path, error }) => `${dirname(path)} (${reasonOf(error)})`);
  const more = all.length > shown.length ? ` and ${all.length - shown.length} more` : "";
  const what = all.length === 1 ? "a nebula cannot be read" : "nebulae cannot be read";
  return `${what}: ${texts.join(", ")}${more}`;
}

/** What helps against that. */
export function unreadableSteps(all: readonly UnreadableNebula[]): NebulaError["next"] {
  return [{ shell: "quasar doctor" }, ...all.slice(0, MOST_SHOWN).map(wayOut)];
}

/** What helps against one. */
export function wayOut({ path, error }: UnreadableNebula): NebulaError["next"][number] {
  const folder = dirname(path);
  const dir = shellWord(folder);
  if (isOfLaterVersion(error)) return { note: "use the version of Quasar that wrote it" };
  if (hasErrno(error, "EACCES", "EPERM")) {
    return { shell: `sudo chown -R "$(id -un)" ${dir}`, note: "if it is another user's" };
  }
  const away = shellWord(`${folder}.unreadable`);
  return { shell: `mv ${dir} ${away}`, note: "gives it up; its branch and work trees stay" };
}

function isOfLaterVersion(error: unknown): boolean {
  return error instanceof NebulaError && error.code === "ERR_INCOMPATIBLE_VERSION";
}

/** Of a file that is damaged in all its generations, what is wrong with each. */
function reasonOf(error: unknown): string {
  const cause = error instanceof DurableError ? error.cause : undefined;
  const reasons = cause instanceof AggregateError ? cause.errors : [error];
  return [...new Set(reasons.map(messageOf))].join("; ");
}
