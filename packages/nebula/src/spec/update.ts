import type { LoadedNebula } from "./load.ts";
import type { NebulaFiles } from "./parse.ts";

/** What becomes of a phase whose folder has changed. One that nothing happens to is not named. */
export interface PhaseUpdate {
  readonly phase: string;
  /**
   * `added`: it joins. `edited`: it takes its new text. `kept`: its text is another one now, and it is worked on, or was, by
   * the one that it began with. `gone`: its file is not there any more, and it stays.
   */
  readonly what: "added" | "edited" | "kept" | "gone";
}

export interface MergedFiles {
  readonly files: NebulaFiles;
  readonly updates: readonly PhaseUpdate[];
  /** Whether nebula.toml is another one. */
  readonly isChanged: boolean;
}

type Loaded = Pick<LoadedNebula, "files" | "spec">;

/**
 * The files of a nebula that has begun, as its folder has them now; phases that have begun keep theirs.
 *
 * @param begun - Their ids.
 */
export function mergeFiles(before: Loaded, now: Loaded, begun: ReadonlySet<string>): MergedFiles {
  const [old, fresh] = [textsOf(before), textsOf(now)];
  const updates: PhaseUpdate[] = [];
  const phases: { file: string; text: string }[] = [];
  const names = new Set<string>();
  const add = ({ file, text }: Text): void => {
    let name = file;
    while (names.has(name)) name = `kept-${name}`;
    names.add(name);
    phases.push({ file: name, text });
  };
  for (const [phase, text] of fresh) {
    const had = old.get(phase);
    const isSame = had?.text === text.text;
    const isKept = had !== undefined && !isSame && begun.has(phase);
    if (!isSame)
      updates.push({ phase, what: had === undefined ? "added" : isKept ? "kept" : "edited" });
    add(isKept ? had : text);
  }
  for (const [phase, text] of old) {
    if (fresh.has(phase)) continue;
    updates.push({ phase, what: "gone" });
    add(text);
  }
  const { manifest } = now.files;
  const sorted = phases.toSorted((a, b) => (a.file < b.file ? -1 : 1));
  return {
    files: { manifest, phases: sorted, problems: [] },
    updates,
    isChanged: manifest !== before.files.manifest,
  };
}

type Text = NebulaFiles["phases"][number];

/** By the phase's id. */
function textsOf({ files, spec }: Loaded): ReadonlyMap<string, Text> {
  const byName = new Map(files.phases.map((each) => [each.file, each]));
  return new Map(
    (spec?.phases ?? []).flatMap(({ id, file }) => {
      const text = byName.get(file);
      return text === undefined ? [] : [[id, text] as const];
    }),
  );
}
