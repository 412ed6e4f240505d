import { codeOf } from "@quasar/runs/internal";
import { shellWord } from "@quasar/runs/text";

/** What the system means by refusing a call. */
interface Refusal {
  /** In words that end a sentence about a path. */
  readonly words: string;
  /** What a person can do, for a folder on that disk, as a shell takes it. */
  readonly next: (folder: string) => readonly string[];
}

const OPEN_FILES = [
  "ulimit -n 4096   # in the shell that starts it: it may have too few files open now",
];
const WHOSE = (folder: string): readonly string[] => [
  `ls -ld ${folder}   # see whose it is, and who may write`,
];

const REFUSALS: Readonly<Record<string, Refusal>> = {
  EROFS: {
    words: "the file system is read-only",
    next: (folder) => [`df ${folder}   # then have that disk mounted to be written`],
  },
  ENOSPC: {
    words: "the disk is full",
    next: (folder) => [`df -h ${folder} && df -i ${folder}   # free space, or files, there`],
  },
  EDQUOT: {
    words: "the disk quota is used up",
    next: (folder) => ["quota -s   # then remove some of your files", `df -h ${folder}`],
  },
  EIO: {
    words: "the disk fails",
    next: (folder) => [
      "dmesg | tail   # what the kernel says of the disk; first copy what matters to another one",
      `df -h ${folder}`,
    ],
  },
  EACCES: { words: "permission denied", next: WHOSE },
  EPERM: { words: "the system does not permit it", next: WHOSE },
  // Of a start of a program, the one call that it is told of.
  EAGAIN: {
    words: "too many processes",
    next: () => ["ulimit -u   # how many programs you may run"],
  },
  EMFILE: { words: "too many open files", next: () => OPEN_FILES },
  ENFILE: { words: "too many open files on this machine", next: () => OPEN_FILES },
};

/** Whether the system refused a call of ours. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && typeof error.syscall === "string";
}

/** The name of a system error, such as `EROFS`; `undefined` for what is none. */
export function errnoOf(error: unknown): string | undefined {
  return isOfSystem(error) ? codeOf(error) : undefined;
}

/** How git, agents and the system say it in a text. */
const SAID: readonly (readonly [errno: string, words: RegExp])[] = [
  ["ENFILE", /\bENFILE\b|Too many open files in system/iu],
  ["EMFILE", /\bEMFILE\b|Too many open files/iu],
  ["EROFS", /\bEROFS\b|Read-only file system/iu],
  ["EDQUOT", /\bEDQUOT\b|Disk quota exceeded/iu],
  ["ENOSPC", /\bENOSPC\b|No space left on device|Out of diskspace/iu],
  ["EIO", /\bEIO\b|Input\/output error/iu],
];

/** The name of the system error that a text tells of; `undefined`: of none that something can be done about. */
export function errnoIn(text: string): string | undefined {
  return SAID.find(([, words]) => words.test(text))?.[0];
}

/** What a person can do where a disk does not take what is written, as far as a text says why. */
export function storageNext(text: string, folder: string = "."): readonly string[] {
  const errno = errnoIn(text);
  const known = errno === undefined ? undefined : refusalNext(errno, folder);
  return known ?? [`df -h ${shellWord(folder)}, for a full or read-only disk`];
}

/** What an error of the system means, in words; `undefined` where nothing special is known. */
export function refusalWords(errno: string): string | undefined {
  return REFUSALS[errno]?.words;
}

/** What a person can do about a call that the system refused; `undefined` where nothing special is known. */
export function refusalNext(errno: string, folder: string): readonly string[] | undefined {
  return REFUSALS[errno]?.next(shellWord(folder));
}
