import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StepKind } from "./step.ts";

/** Where one trial takes place: a folder of its own, which is all that its processes know. */
export interface Place {
  readonly root: string;
  /** Where commands are run: a copy of the fixture. */
  readonly work: string;
  readonly home: string;
  /** What is noted of the trial; its processes do not look here. */
  readonly notes: string;
  /** The module that a subject's program in the background is to load first, where it has one. */
  readonly background: string;
  /** What every command is given. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * For steps that others see, such as a model's server: tells of one, and resolves when it may take
   * effect. Steps of one name are to come one after the other.
   */
  reach(kind: StepKind, on: string): Promise<void>;
  /** Who is told of such steps. */
  onReach: ((kind: StepKind, on: string) => Promise<void>) | undefined;
}

/** What trials begin with. */
export interface Fixture {
  /** Copied to `work` for each trial. */
  readonly work: string;
  /** Copied to `home`. @default an empty folder */
  readonly home?: string | undefined;
  /** Beside `PATH`, `HOME` and `TMPDIR`. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A folder for trials, removed with all that is in it. */
export function makeScratch(): string {
  return mkdtempSync(join(realpathSync(tmpdir()), "quasar-torture-"));
}

/** Makes the place of a trial. */
export function makePlace(scratch: string, name: string, { work, home, env = {} }: Fixture): Place {
  const notes = join(scratch, `${name}.notes`);
  const root = join(scratch, name);
  const [workTree, homeDir] = [join(root, "work"), join(root, "home")];
  mkdirSync(notes);
  mkdirSync(join(root, "tmp"), { recursive: true });
  cpSync(work, workTree, { recursive: true });
  if (home === undefined) mkdirSync(homeDir);
  else cpSync(home, homeDir, { recursive: true });
  const { PATH = "" } = process.env;
  const place: Place = {
    root,
    work: workTree,
    home: homeDir,
    notes,
    background: join(notes, "background.mjs"),
    env: { PATH, HOME: homeDir, TMPDIR: join(root, "tmp"), ...env },
    onReach: undefined,
    reach: async (kind, on) => place.onReach?.(kind, on),
  };
  return place;
}

export function removePlace({ root, notes }: Place): void {
  for (const folder of [root, notes]) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
