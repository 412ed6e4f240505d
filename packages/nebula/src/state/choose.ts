import { cleanLine, fit } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import { isUnfinished, listNebulae, unreadableNebulae } from "./list.ts";
import { noNebula } from "./no-nebula.ts";
import type { NebulaState } from "./state.ts";

type Condition = (state: NebulaState) => boolean;

/** How one of several nebulae is chosen. */
export interface Choice {
  /** The command line that was typed, for the nebula of an id. @default shows how it stands */
  readonly step?: ((id: string) => string) | undefined;
  /** Whether the command does something for a nebula as it stands. @default it does */
  readonly isFor?: Condition | undefined;
  /** What the one that is meant is like beside that, the first condition first: one that none meets decides nothing. */
  readonly prefers?: readonly Condition[] | undefined;
}

/**
 * The nebula that a person means: by its id, its name or its folder; without any the only one that is unfinished, or that
 * alone of those is like what is meant, else the newest.
 *
 * @throws {NebulaError} `ERR_NOT_FOUND`; `ERR_USAGE` where several are meant, with the command for each; as `refuseUnreadable` where what is meant
 *   may be what cannot be read.
 */
export function chooseNebula(
  commonDir: string,
  named: string | undefined,
  { step = statusStep, isFor = () => true, prefers = [] }: Choice = {},
): NebulaState {
  const open = narrowed(namedNebulae(commonDir, named), [isFor, ...prefers]);
  const [first] = open;
  if (first !== undefined && open.length === 1) return first;
  const doesAnything = open.some(isFor);
  const typed = doesAnything ? step : statusStep;
  const message = doesAnything
    ? "several nebulae are meant; name one by its id"
    : "several nebulae are unfinished, and this does nothing for any of them now";
  throw new NebulaError("ERR_USAGE", message, {
    next: open.map(({ id, name }) => ({ shell: typed(id), note: fit(cleanLine(name), 40) })),
  });
}

/** The nebula that a person means: see {@link chooseNebula}. */
export function findNebula(commonDir: string, named: string | undefined): NebulaState {
  return chooseNebula(commonDir, named);
}

/**
 * The nebulae that a person may mean, the newest first, and at least one: those of a name that are unfinished, else the
 * newest of it.
 *
 * @throws {NebulaError} as {@link chooseNebula}
 */
export function namedNebulae(commonDir: string, named: string | undefined): readonly NebulaState[] {
  const all = listNebulae(commonDir);
  const meant =
    named === undefined ? all : all.filter(({ id, name, dir }) => [id, name, dir].includes(named));
  const open = meant.filter(isUnfinished);
  const found = open.length > 0 ? open : meant.slice(0, 1);
  if (found.length === 0) throw noNebula(named, all, unreadableNebulae(commonDir));
  return found;
}

function narrowed(
  open: readonly NebulaState[],
  conditions: readonly Condition[],
): readonly NebulaState[] {
  return conditions.reduce((left, isMet) => {
    const those = left.filter(isMet);
    return those.length > 0 ? those : left;
  }, open);
}

function statusStep(id: string): string {
  return `quasar nebula status ${id}`;
}
