import { constants } from "node:os";
import { shellWord } from "@quasar/runs/text";

/** What the system means by refusing a call. */
interface Refusal {
  /** In words that end a sentence about a path. */
  readonly words: string;
  /** What a person can do, for a folder on that disk, as a shell takes it. */
  readonly next: (folder: string) => readonly string[];
}

const OPEN_FILES = ["ulimit -n (how many files may be open; close other programs)"];
const WHOSE = (folder: string): readonly string[] => [`ls -ld ${folder} (whose is it?)`];

const REFUSALS: Readonly<Record<string, Refusal>> = {
  EROFS: {
    words: "the file system is read-only",
    next: (folder) => [`df ${folder} (then have that disk mounted to be written)`],
  },
  ENOSPC: {
    words: "the disk is full",
    next: (folder) => [`df -h ${folder} (then free some space; df -i: or files)`],
  },
  EDQUOT: {
    words: "the disk quota is used up",
    next: (folder) => ["quota -s (then remove some of your files)", `df -h ${folder}`],
  },
  EIO: {
    words: "the disk fails",
    next: (folder) => [
      "dmesg | tail (the kernel's words; first copy what matters to another disk)",
      `df -h ${folder}`,
    ],
  },
  EACCES: { words: "permission denied", next: WHOSE },
  EPERM: { words: "the system does not permit it", next: WHOSE },
  EMFILE: { words: "too many open files", next: () => OPEN_FILES },
  ENFILE: { words: "too many open files on this machine", next: () => OPEN_FILES },
};

/** The name of a system error's code; `undefined` for what is none. Node has no name for a used-up quota. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const { code, errno } = error as NodeJS.ErrnoException;
  if (errno === -constants.errno.EDQUOT) return "EDQUOT";
  return /^E[A-Z0-9]+$/u.test(code ?? "") ? code : undefined;
}

/** What an error of the system means, in words; its name where there are none. */
export function refusalWords(errno: string): string {
  return REFUSALS[errno]?.words ?? errno;
}

/** What a person can do about a call that the system refused; `undefined` where nothing special is known. */
export function refusalNext(errno: string, folder: string): readonly string[] | undefined {
  return REFUSALS[errno]?.next(shellWord(folder));
}
