import type { NextStep } from "@quasar/runs";
import { clean } from "@quasar/runs/text";

/** Why a nebula is refused or stopped. Part of the interface. */
export type NebulaErrorCode =
  /** The folder is none, or has no nebula.toml. */
  | "ERR_NO_NEBULA"
  /** Its files contradict themselves or what a nebula may say; the problems say where. */
  | "ERR_INVALID_NEBULA"
  /** A nebula.state.toml is not what any quasar has written. */
  | "ERR_INVALID_STATE"
  /** A nebula.state.toml, or a nebula's state, is of a version that this one does not know; it was left alone. */
  | "ERR_INCOMPATIBLE_VERSION"
  /** There is no nebula, phase or revision of that name. */
  | "ERR_NOT_FOUND"
  /** Another engine works on it. */
  | "ERR_LOCKED"
  /** It has been begun: to be resumed, or to be begun afresh. */
  | "ERR_UNFINISHED"
  /** What is kept of it cannot be read. */
  | "ERR_DAMAGED"
  /** Its branch is not where a landing has left it. */
  | "ERR_REWOUND"
  /** Its branch, or the repository, cannot be worked with as it is. */
  | "ERR_BRANCH"
  /** A phase's run was begun by another machine or user, or the repository was moved since: a person accepts that, or not. */
  | "ERR_FOREIGN_RUN"
  /** A disk is full that it works on; nothing of it is lost. */
  | "ERR_FULL_DISK"
  /** A command that makes a work tree ready has failed. */
  | "ERR_SETUP"
  /** The call is wrong: an argument, or a state in which it has no meaning. */
  | "ERR_USAGE";

/** A refusal. `message` is made safe to print; `next` is what helps, most likely first. */
export class NebulaError extends Error {
  override readonly name = "NebulaError";
  readonly code: NebulaErrorCode;
  readonly next: readonly NextStep[];

  constructor(
    code: NebulaErrorCode,
    message: string,
    { next = [], ...options }: ErrorOptions & { readonly next?: readonly NextStep[] } = {},
  ) {
    super(clean(message), options);
    this.code = code;
    this.next = next;
  }
}
