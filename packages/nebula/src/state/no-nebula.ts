import { suggestion } from "@quasar/runs/internal";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import { meantBeside } from "../spec/beside.ts";
import type { NebulaState } from "./state.ts";
import {
  unreadableError,
  type UnreadableNebula,
  unreadableSteps,
  unreadableText,
} from "./unreadable.ts";

const MOST_SHOWN = 3;

/**
 * That a repository has no nebula of a name, and what may be meant: another nebula, a folder, or a phase.
 *
 * @param named - @default none was named
 * @param all - Those that can be read, the newest first.
 * @param unreadable - Those that cannot: where there are no others, or one of them is named, the error is about them.
 */
export function noNebula(
  named: string | undefined,
  all: readonly Pick<NebulaState, "id" | "name" | "phases">[],
  unreadable: readonly UnreadableNebula[] = [],
): NebulaError {
  const isNamed = unreadable.filter(({ id }) => id === named);
  if (isNamed.length > 0) return unreadableError(isNamed);
  if (unreadable.length > 0 && all.length === 0) return unreadableError(unreadable);

  const demo = all.length === 0 ? [{ shell: "quasar nebula demo", note: "shows one" }] : [];
  if (named === undefined) return notFound("no nebula", "", demo);
  const what = `no nebula ${JSON.stringify(named)}`;
  const owners = all
    .filter(({ phases }) => phases.some(({ id }) => id === named))
    .slice(0, MOST_SHOWN);
  if (owners.length > 0) {
    const names = owners.map(({ name }) => JSON.stringify(name)).join(", ");
    const word = `${named.startsWith("-") ? "-- " : ""}${shellWord(named)}`;
    const next = owners.map(({ id }) => ({ shell: `quasar nebula show ${id} ${word}` }));
    return notFound(what, `: it is a phase of ${names}`, next);
  }
  const names = all.map(({ name }) => name);
  const next = all.slice(0, MOST_SHOWN).map(({ id, name }) => {
    return { shell: `quasar nebula status ${id}`, note: cleanLine(name) };
  });
  const near = suggestion(named, names) || meantBeside(named);
  if (unreadable.length === 0) return notFound(what, near, [...demo, ...next]);
  const also = `${near}; ${unreadableText(unreadable)}`;
  return notFound(what, also, [...next, ...unreadableSteps(unreadable)]);
}

function notFound(what: string, near: string, next: NebulaError["next"]): NebulaError {
  return new NebulaError("ERR_NOT_FOUND", `there is ${what} in this repository${near}`, { next });
}
