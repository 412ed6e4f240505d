import { isInstalled } from "./place.ts";

/** What a proof needs of the machine, and where it comes from. */
const PROGRAMS = {
  strace: "apt-get install strace",
  "linux.uml": "apt-get install user-mode-linux",
  "mkfs.ext4": "apt-get install e2fsprogs",
  faketime: "apt-get install faketime",
  taskset: "apt-get install util-linux",
} as const;

export type NeededProgram = keyof typeof PROGRAMS;

/** Why a proof cannot run here, in a line that says what to install; `undefined` where it can. */
export function missing(...programs: readonly NeededProgram[]): string | undefined {
  const program = programs.find((each) => !isInstalled(each));
  return program && `SKIPPED: there is no ${program} here; to have it: ${PROGRAMS[program]}`;
}
