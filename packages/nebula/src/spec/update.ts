import { byName } from "./by-name.ts";
import { changedSettings, type SettingChange } from "./changed-settings.ts";
import type { LoadedNebula } from "./load.ts";
import type { NebulaFiles } from "./parse.ts";

/** What becomes of a phase whose folder has changed. One that nothing happens to is not named. */
export interface PhaseUpdate {
  readonly phase: string;
  /**
   * `added`: it joins. `edited`: it takes its new text. `running`: it does so at the end of its cycle, unless that is
   * approved. `kept`: its text is another one now, and it was worked on by the one that it began with. `gone`: its file is
   * not there any more, and it stays.
   */
  readonly what: "added" | "edited" | "running" | "kept" | "gone";
}

export interface MergedFiles {
  readonly files: NebulaFiles;
  readonly updates: readonly PhaseUpdate[];
  /** Whether nebula.toml is another one. */
  readonly isChanged: boolean;
  /** By which of its keys; none where only its comments are others. */
  readonly settings: readonly SettingChange[];
}

type Loaded = Pick<LoadedNebula, "files" | "spec">;

/**
 * The files of a nebula that has begun, as its folder has them now; phases that were worked on keep theirs.
 *
 * @param whatOf - What becomes of a phase of that id whose text is another one.
 */
export function mergeFiles(
  before: Loaded,
  now: Loaded,
  whatOf: (id: string) => "edited" | "running" | "kept",
): MergedFiles {
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
    const what = had === undefined ? "added" : whatOf(phase);
    const isSame = had?.text === text.text;
    if (!isSame) updates.push({ phase, what });
    add(had !== undefined && !isSame && what === "kept" ? had : text);
  }
  for (const [phase, text] of old) {
    if (fresh.has(phase)) continue;
    updates.push({ phase, what: "gone" });
    add(text);
  }
  const { manifest } = now.files;
  const sorted = phases.toSorted((a, b) => byName(a.file, b.file));
  return {
    files: { manifest, phases: sorted, problems: [] },
    updates,
    isChanged: manifest !== before.files.manifest,
    settings: changedSettings(before.files.manifest ?? "", manifest ?? ""),
  };
}

type Text = NebulaFiles["phases"][number];

/** By the phase's id. */
function textsOf({ files, spec }: Loaded): ReadonlyMap<string, Text> {
  const texts = new Map(files.phases.map((each) => [each.file, each]));
  return new Map(
    (spec?.phases ?? []).flatMap(({ id, file }) => {
      const text = texts.get(file);
      return text === undefined ? [] : [[id, text] as const];
    }),
  );
}
