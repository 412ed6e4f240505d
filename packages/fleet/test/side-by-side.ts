import type { NebulaState } from "@quasar/nebula";
// @boundaries-ignore one place for the tests of nebulae on one machine and on several
import { MANIFEST, phase, type Work, write } from "../../nebula/test/place.ts";

/** A nebula's folder with two phases that need nothing. */
export const SIDE_BY_SIDE = { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") };

/** Work on them, of which the second is at work until it may end. */
export function oneLong(): { readonly work: Work; readonly end: () => void } {
  const mayEnd = Promise.withResolvers<void>();
  const work: Work = {
    "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
    "Phase b": async (tree) => {
      await mayEnd.promise;
      write(tree, { "b.txt": "b\n" });
    },
  };
  return { work, end: mayEnd.resolve };
}

export const hasLanded =
  (phaseId: string) =>
  ({ phases }: NebulaState): boolean =>
    phases.some(({ id, landing }) => id === phaseId && landing > 0);
