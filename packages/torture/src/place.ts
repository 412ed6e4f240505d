import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where one trial takes place: a folder of its own, which is all that its processes know. */
export interface Place {
  readonly root: string;
  /** Where commands are run: a copy of the fixture. */
  readonly work: string;
  readonly home: string;
  /** What is noted of the trial; its processes do not look here. */
  readonly notes: string;
  /** What every command is given. */
  readonly env: Readonly<Record<string, string>>;
}

/** What trials begin with. */
export interface Fixture {
  /** Copied to `work` for each trial. */
  readonly work: string;
  /** Copied to `home`. @default an empty folder */
  readonly home?: string | undefined;
  /** Beside `PATH`, `HOME` and `TMPDIR`. `{place}` stands for the trial's number. */
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
  const place = { root, work: join(root, "work"), home: join(root, "home"), notes };
  mkdirSync(notes);
  mkdirSync(join(root, "tmp"), { recursive: true });
  cpSync(work, place.work, { recursive: true });
  if (home === undefined) mkdirSync(place.home);
  else cpSync(home, place.home, { recursive: true });
  const { PATH = "" } = process.env;
  return { ...place, env: { PATH, HOME: place.home, TMPDIR: join(root, "tmp"), ...env } };
}

export function removePlace({ root, notes }: Place): void {
  for (const folder of [root, notes]) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
