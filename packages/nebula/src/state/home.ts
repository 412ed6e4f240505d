import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";

/** Where what belongs to a nebula is kept, in the git folder that all work trees share. */
export interface NebulaHome {
  readonly dir: string;
  /** The one truth. */
  readonly state: string;
  /** What has happened, for people and for those who follow it. */
  readonly journal: string;
  /** One engine at a time, or one command. */
  readonly lock: string;
  /** Which engine has the lock, while one has it. */
  readonly engine: string;
  /** What people have answered, to be taken by the engine. */
  readonly inbox: string;
  /** What agents have asked, and what was answered. */
  readonly questions: string;
  /** Outputs of verifications, and what is signed of them. */
  readonly receipts: string;
  /** What controlled git in all work trees when the nebula began. */
  readonly controls: string;
}

/** The folder of all nebulae of a repository. */
export function nebulaeFolder(commonDir: string): string {
  return join(commonDir, "quasar", "nebulae");
}

/** @param id - Checked: it becomes part of a path. */
export function nebulaHome(commonDir: string, id: string): NebulaHome {
  const dir = join(nebulaeFolder(commonDir), id);
  return {
    dir,
    state: join(dir, "state.toml"),
    journal: join(dir, "events.jsonl"),
    lock: join(dir, "lock"),
    engine: join(dir, "engine.json"),
    inbox: join(dir, "inbox"),
    questions: join(dir, "questions"),
    receipts: join(dir, "receipts"),
    controls: join(dir, "git-controls.json"),
  };
}

/** The folder of a copy of the nebula's own files. */
export function specFolder({ dir }: NebulaHome, revision: string): string {
  return join(dir, "spec", revision);
}

/** The folder of the runs of one phase: those of one work tree. */
export function runsFolder({ dir }: NebulaHome, phaseRef: string): string {
  return join(dir, "runs", phaseRef);
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const ID = /^[a-z2-7]{10}$/u;

/** Ten characters of base32: 50 bits of chance. */
export function newNebulaId(): string {
  return Array.from(randomBytes(10), (byte) => ALPHABET[byte % 32]).join("");
}

export function isNebulaId(text: string): boolean {
  return ID.test(text);
}

/**
 * What a phase is called in refs and folders: ids are free text, and these are not.
 *
 * @param position - In the plan, from 1.
 */
export function phaseRef(position: number, id: string): string {
  return `p${position}-${createHash("sha256").update(id).digest("hex").slice(0, 8)}`;
}

/** The refs of a nebula that are no branch. */
export function refsOf(id: string): {
  readonly frozen: (phaseRef: string, attempt: number) => string;
  readonly candidate: (seq: number) => string;
  /** The candidate that a person approved, where another one has come since. */
  readonly approved: (phaseRef: string) => string;
  readonly base: string;
  /** A commit of the base branch that is merged. */
  readonly merged: (commit: string) => string;
  readonly conflict: (phaseRef: string, attempt: number) => string;
  /** The last commit of a run that works: its work tree may be removed. */
  readonly work: (phaseRef: string) => string;
  /** What a work tree held that was uncommitted: what they all begin with. */
  readonly left: (tree: string) => string;
} {
  const root = `refs/quasar/nebula/${id}`;
  return {
    frozen: (ref, attempt) => `${root}/phase/${ref}/${attempt}`,
    candidate: (seq) => `${root}/candidate/${seq}`,
    approved: (ref) => `${root}/approved/${ref}`,
    base: `${root}/base`,
    merged: (commit) => `${root}/merged/${commit}`,
    conflict: (ref, attempt) => `${root}/conflict/${ref}/${attempt}`,
    work: (ref) => `${root}/work/${ref}`,
    left: (tree) => `${root}/left/${tree}/`,
  };
}
