import type { AgentRole } from "@quasar/agents";

/**
 * A turn that is a run of its own, and ends `approved` once it is done. What a `coder` writes is committed; a `reader`
 * is a coder that may change nothing, and nothing is committed; a `reviewer` is done whatever its verdict is.
 */
export type TurnKind = "coder" | "reader" | "reviewer";

/** What a run consists of: a whole loop, or one turn by itself. */
export interface RunKind {
  readonly name: "loop" | TurnKind;
  /** Whose turns there are. */
  readonly roles: readonly AgentRole[];
  /** Its work is checked and reviewed, and its approval is compared with the repository. */
  readonly isLoop: boolean;
  /** Its coder changes nothing. */
  readonly readsOnly: boolean;
  /** What its reviewer says is an answer in whatever form. */
  readonly takesAnyReview: boolean;
  /** Said once it is done. */
  readonly done: string;
}

const TURN = { isLoop: false, readsOnly: false, takesAnyReview: false } as const;

export const LOOP: RunKind = {
  ...TURN,
  name: "loop",
  roles: ["coder", "reviewer"],
  isLoop: true,
  done: "The reviewer approved the work.",
};

export const TURNS: Readonly<Record<TurnKind, RunKind>> = {
  coder: { ...TURN, name: "coder", roles: ["coder"], done: "The coder's turn is done." },
  reader: {
    ...TURN,
    name: "reader",
    roles: ["coder"],
    readsOnly: true,
    done: "The agent has answered.",
  },
  reviewer: {
    ...TURN,
    name: "reviewer",
    roles: ["reviewer"],
    takesAnyReview: true,
    done: "The review is done.",
  },
};
