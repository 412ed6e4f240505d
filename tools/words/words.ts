import type { TextKind } from "./text.ts";

/** A word that the project does not use, since another one says the same. */
export interface Word {
  /**
   * Whole words in any case; `|`, `?` and groups are those of a regular expression. In names the
   * parts count: "let go" finds `letGo` and `let-go` too.
   */
  readonly not: string;
  /** What to write instead. */
  readonly write: string;
  readonly in: readonly TextKind[];
  /** Paths in which it is a mistake. @default all */
  readonly only?: RegExp;
  readonly except?: readonly Exception[];
}

/** A text that has the word and is right. It fails the lint once nothing needs it. */
export interface Exception {
  /** A whole name, or a part of a sentence or of code with the word in it. */
  readonly text: string;
  /** Files or folders from the root, or the name of a file in any folder. @default all */
  readonly files?: readonly string[];
  readonly why: string;
}

/** What says what was renamed, and what a release makes of it. */
const CHANGES: readonly string[] = [".changeset/", "CHANGELOG.md"];

/** Files whose words come from elsewhere. */
export const UNCHECKED: readonly RegExp[] = [
  /\/etc\/.*\.api\.md$/, // written from the sources
  /\/fixtures\//, // bytes of the seeds and of agents, and screens made from the sources
  /^tools\/words\//, // this list, and its tests
];

const NAMES: readonly TextKind[] = ["identifier"];
const TEXTS: readonly TextKind[] = ["string", "prose"];
const STRINGS: readonly TextKind[] = ["string"];
const EVERYWHERE: readonly TextKind[] = ["identifier", "string", "prose"];

/** Whose strings a user may see. */
const PRODUCT = /^(?:apps\/cli|packages\/[^/]+)\/src\/(?!.*\.test\.ts$)/;

export const WORDS: readonly Word[] = [
  // After a crash, and when something fails
  { not: "(?:go|goes|going|gone|went) on", write: "resume, continue", in: TEXTS },
  { not: "(?:come|comes|came|coming) to nothing", write: "fail", in: TEXTS },
  {
    not: "set(?:s|ting)? (?:it |them )?aside",
    write: "quarantine",
    in: EVERYWHERE,
    except: [
      { text: "SET_ASIDE", files: CHANGES, why: "says what was renamed" },
      { text: "setAside", files: CHANGES, why: "says what was renamed" },
    ],
  },
  { not: "nobody knows", write: "unknown", in: TEXTS },
  { not: "nobody ever|by nobody", write: "not, never", in: STRINGS, only: PRODUCT },
  { not: "bought", write: "paid for", in: TEXTS },

  // Records and reports
  { not: "put(?:s|ting)? down", write: "create, record, save", in: TEXTS },
  { not: "b(?:ear|ears|ore|earing) witness", write: "be evidence, report", in: EVERYWHERE },
  { not: "told apart", write: "distinguish, separate", in: TEXTS },
  {
    not: "(?:is|are) told",
    write: "the actor first: x reports, y gets",
    in: STRINGS,
    only: PRODUCT,
  },
  { not: "looked for", write: "search", in: TEXTS },
  {
    not: "(?:be|is|are|was|were|been|being) looked at",
    write: "check, read",
    in: TEXTS,
  },

  {
    not: "unsaid",
    write: "unreported",
    in: EVERYWHERE,
    except: [
      { text: "unsaid_costs", why: "the former name of a key on disk" },
      { text: "hasUnsaidCosts", files: CHANGES, why: "says what was renamed" },
    ],
  },

  // Owners and undoing
  { not: "let(?:s|ting)? go", write: "dispose, release", in: EVERYWHERE },
  {
    not: "mend(?:s|ed|ing)?",
    write: "fix, repair",
    in: TEXTS,
    except: [{ text: ".mending.json", why: "the former name of a file on disk" }],
  },
  {
    not: "of ours|what is left|anew",
    write: "plainer: our, the rest, again",
    in: STRINGS,
    only: PRODUCT,
  },
  {
    not: "goes without saying|seed store",
    write: "isDefault, compatibility checkpoint",
    in: TEXTS,
  },
  { not: "leaves? at once", write: "exit at once", in: TEXTS },
  {
    not: "hail(?:s|ed)?|bear up|whither|thereof|whereof|hitherto|nought|naught|amiss",
    write: "a plain word",
    in: TEXTS,
    except: [
      { text: "hail_timeout", why: "a key of the original's files" },
      { text: "hail_answer", why: "the name of a tool that other agents call" },
    ],
  },

  // What an engine is made of
  {
    not: "standstills?",
    write: "stop reason",
    in: EVERYWHERE,
    except: [{ text: "Standstill", files: CHANGES, why: "says what was renamed" }],
  },
  {
    not: "outliving|outlived",
    write: "leftover process",
    in: NAMES,
    except: [{ text: "findOutliving", files: CHANGES, why: "says what was renamed" }],
  },
  { not: "eyes", write: "WorkTreeReader, deps", in: NAMES },
  { not: "ground|sight|course", write: "facts, or what it holds", in: NAMES },
  {
    not: "judge?ment",
    write: "verdict, assessment",
    in: EVERYWHERE,
    except: [{ text: "with best judgment", why: "the original's sentence for a question" }],
  },
  { not: "deaf", write: "unsubscribe", in: NAMES },
  {
    not: "go on|see to the past|tell rest|is deserted|take back turn|look at work|end what is left|require patience|keep work",
    write: "what it does: runNextStep, reportIdle, noProcessInTree, snapshotWork",
    in: NAMES,
  },
  {
    not: "work ?dirs?",
    write: "workTree",
    in: EVERYWHERE,
    except: [
      { text: "no-work-dir", why: "a kind of problem in exit records on disk" },
      { text: "workDir", files: CHANGES, why: "says what was renamed" },
    ],
  },
];
