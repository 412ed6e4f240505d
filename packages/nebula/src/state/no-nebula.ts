import { suggestion } from "@quasar/runs/internal";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import { meantBeside } from "../spec/beside.ts";
import type { NebulaState } from "./state.ts";

const MOST_SHOWN = 3;

/**
 * That a repository has no nebula of a name, and what may be meant: another nebula, a folder, or a phase.
 *
 * @param named - @default none was named
 * @param all - Those that there are, the newest first.
 */
export function noNebula(
  named: string | undefined,
  all: readonly Pick<NebulaState, "id" | "name" | "phases">[],
): NebulaError {
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
  return notFound(what, suggestion(named, names) || meantBeside(named), [...demo, ...next]);
}

function notFound(
  what: string,
  near: string,
  next: readonly { readonly shell: string; readonly note?: string }[],
): NebulaError {
  return new NebulaError("ERR_NOT_FOUND", `there is ${what} in this repository${near}`, { next });
}
