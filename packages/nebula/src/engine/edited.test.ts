import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder, aPhase, MANIFEST } from "../../test/a-nebula.ts";
import { loadNebula } from "../spec/load.ts";
import { keepSpec } from "../state/copy.ts";
import { nebulaHome } from "../state/home.ts";
import { type NebulaState, NO_PUSH, pendingPhase } from "../state/state.ts";
import { editedSince, takesAnything } from "./edited.ts";

const NOW = new Date(0);

/** A nebula whose phase `a` has landed, and `b` has not begun. */
function begun() {
  const dir = aFolder({ "nebula.toml": MANIFEST, "a.md": aPhase("a"), "b.md": aPhase("b") });
  const commonDir = aFolder({});
  const state: NebulaState = {
    ...{ id: "abcdefghij", name: "demo", branch: "nebula/demo", dir, base: "0".repeat(40) },
    revision: keepSpec(nebulaHome(commonDir, "abcdefghij"), loadNebula(dir)),
    ...{ createdAt: NOW.toISOString(), archivedFrom: "", archivedTip: "" },
    ...{ planVerdict: "", planReason: "", ownsBranch: true, acceptedFailures: [], ...NO_PUSH },
    phases: [
      { ...pendingPhase("a", "p1-0", NOW), status: "done", landing: 1 },
      pendingPhase("b", "p2-0", NOW),
    ],
  };
  const edit = (file: string, text: string): void => writeFileSync(join(dir, file), text);
  const edited = (change: Partial<NebulaState> = {}) =>
    editedSince(commonDir, { ...state, ...change });
  return { dir, edit, edited };
}

test("what its folder says else than its copy is found, until that is gone", () => {
  const { dir, edit, edited } = begun();
  expect(edited()).toBeUndefined();
  edit("b.md", aPhase("b", "", "Do more."));
  expect(edited()).toMatchObject({ updates: [{ phase: "b", what: "edited" }] });
  expect(edited({ archivedFrom: "nebula/demo" })).toBeUndefined();
  edit("b.md", aPhase("b", 'depends_on = ["x"]'));
  expect(edited()).toMatchObject({ code: "ERR_INVALID_NEBULA" });
  rmSync(dir, { recursive: true });
  expect(edited()).toBeUndefined();
});

test("of a text that a phase keeps nothing would be taken", () => {
  const { edit, edited } = begun();
  const takes = () => {
    const found = edited();
    return found !== undefined && "updates" in found && takesAnything(found);
  };
  edit("a.md", aPhase("a", "", "Do more."));
  expect(edited()).toMatchObject({ updates: [{ phase: "a", what: "kept" }] });
  expect(takes()).toBe(false);
  edit("nebula.toml", `${MANIFEST}description = "more"\n`);
  expect(takes()).toBe(true);
});
