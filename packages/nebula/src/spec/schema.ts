import * as v from "valibot";
import { DURATION, durationMs, LONGEST, SIZE } from "./amounts.ts";
import { isFileWithin, isPlainName, pathWithin } from "./paths.ts";
import { parseScope } from "./scope.ts";
import { GATES } from "./types.ts";

// Each key of nebula.toml and of a phase's front matter: what it means, what it may be, and its default. Messages complete
// "… is not". A text that is empty, a number that is 0 and a list without entries say nothing, as in the Go original.

const MOST_ENTRIES = 1000;

type Key<T> = v.GenericSchema<unknown, T>;

/** A key that may be left out. */
function key<S extends v.GenericSchema>(
  schema: S,
  fallback: v.InferInput<S>,
  what: string,
): Key<v.InferOutput<S>> {
  return v.optional(v.pipe(schema, v.description(what)), fallback as never) as Key<
    v.InferOutput<S>
  >;
}

/** The same, where leaving it out says something that no value does. */
function optionalKey<S extends v.GenericSchema>(
  schema: S,
  what: string,
): Key<v.InferOutput<S> | undefined> {
  return v.optional(v.pipe(schema, v.description(what))) as Key<v.InferOutput<S> | undefined>;
}

function table<E extends v.ObjectEntries>(
  entries: E,
  what: string,
): Key<v.InferOutput<v.ObjectSchema<E, undefined>>> {
  return key(v.object(entries, "a table"), {} as never, what);
}

const text = v.string("a text");
const flag = v.boolean("true or false");

const whole = (from: number, to: number, expected: string) =>
  v.pipe(
    v.number(expected),
    v.integer(expected),
    v.minValue(from, expected),
    v.maxValue(to, expected),
  );
const count = whole(0, 1_000_000_000, "a whole number of 0 or more");
const MOST_USD = 1_000_000;
const usdWords = `an amount from 0 to ${MOST_USD}`;
const usd = v.pipe(v.number(usdWords), v.minValue(0, usdWords), v.maxValue(MOST_USD, usdWords));

const list = <S extends v.GenericSchema>(item: S) => {
  const most = `a list of at most ${MOST_ENTRIES}`;
  return v.pipe(v.array(item, "a list"), v.maxLength(MOST_ENTRIES, most));
};

// oxlint-disable-next-line no-control-regex
const COMMAND = /^(?=[^]*\S)[^\0-\x08\x0b-\x1f\x7f]{1,4000}$/;
const command = v.pipe(
  v.string("a command"),
  v.regex(COMMAND, "a command of at most 4000 characters"),
);
const durationWords = "a length of time such as 5m, 1h30m or 0";
const duration = v.pipe(
  text,
  v.regex(DURATION, durationWords),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || durationMs(dataset.value) <= durationMs(LONGEST)) return;
    addIssue({ message: `a length of time of at most ${LONGEST} (24 days)` });
  }),
);
const durationOrNone = v.union([v.literal(""), duration], durationWords);
const agent = v.pipe(
  v.string("the name of an agent"),
  v.regex(
    /^(?:[a-z][a-z0-9-]{0,39})?$/,
    "the name of an agent; commands belong into your own configuration",
  ),
);
const model = v.pipe(text, v.regex(/^\P{Cc}{0,200}$/u, "a name of at most 200 characters"));
const gate = v.picklist(["", ...GATES], `one of ${GATES.join(", ")}`);
const file = v.pipe(text, v.check(isFileWithin, "the path of a file within the repository"));
const folder = v.pipe(
  text,
  v.check((path) => pathWithin(path) !== undefined, "a folder within the repository"),
);
const scope = v.pipe(
  text,
  v.check((each) => parseScope(each) !== undefined, "a path or pattern within the repository"),
);
const oneOf = <const W extends readonly [string, ...string[]]>(...words: W) =>
  v.picklist(words, `one of ${words.join(", ")}`);

const tier = v.object(
  {
    name: key(text, "", "What the tier is called"),
    model: key(model, "", "The model of its phases"),
    max_score: key(v.number("a number"), 0, "The highest score that it takes, from 0 to 1"),
  },
  "a table",
);

/** nebula.toml */
export const MANIFEST = v.object({
  nebula: table(
    {
      name: key(text, "", "What the nebula is called; required"),
      description: key(text, "", "What it is for"),
    },
    "The nebula",
  ),
  defaults: table(
    {
      type: key(text, "", "Of phases without one"),
      priority: key(
        whole(-1_000_000, 1_000_000, "a whole number"),
        0,
        "Of phases without one, or with 0",
      ),
      labels: key(list(text), [], "Of phases without any"),
      assignee: key(text, "", "Of phases without one"),
    },
    "What phases have that do not say so themselves",
  ),
  execution: table(
    {
      max_workers: key(
        whole(0, 64, "a whole number from 1 to 64"),
        0,
        "How many phases are worked on at once; 0: 2, over a fleet as many as its workers take",
      ),
      max_review_cycles: key(count, 0, "Cycles of coder and reviewer of a phase; 0: your setting"),
      max_budget_usd: key(usd, 0, "What each phase may cost in all its attempts; 0: your setting"),
      total_budget_usd: key(usd, 0, "What all phases may cost; 0: the sum of theirs"),
      max_context_tokens: key(
        count,
        0,
        "Tokens of context that a prompt may be given; without effect",
      ),
      model: key(model, "", "The coder's model, of phases that name none"),
      gate: key(
        gate,
        "trust",
        "When a person is asked: trust never, watch only shows, review after each phase, approve before the first one too",
      ),
      hail_timeout: key(
        durationOrNone,
        "5m",
        "How long an agent's question waits for its answer; 0: as long as it takes",
      ),
      auto_decompose: key(flag, false, "Split a phase that gets nowhere; without effect"),
      routing: table(
        {
          enabled: key(flag, false, "Choose the model by how complex a phase is"),
          tiers: key(list(tier), [], "By rising max_score; none: three of Claude's models"),
        },
        "Which model works on a phase where nobody names one",
      ),
      setup: key(list(command), [], "Commands that make a new work tree ready; asks for trust"),
      setup_inputs: key(
        list(file),
        [],
        "Files whose change asks for another set-up; none: lockfiles and manifests at the root",
      ),
      copy: key(
        list(file),
        [],
        "Files of your tree, ignored by git, that each new work tree gets; asks for trust",
      ),
      verify: key(
        list(command),
        [],
        "Commands that have to pass on the merged tree before a phase lands; asks for trust",
      ),
      verify_retries: key(
        whole(0, 5, "a whole number from 0 to 5"),
        1,
        "How often a set-up or a verification that failed is repeated on the same tree",
      ),
      verify_clean: key(
        oneOf("untracked", "all"),
        "untracked",
        "What is removed before a command of verify; all: ignored files too, and set-up again",
      ),
      merge_order: key(
        oneOf("ready", "plan"),
        "ready",
        "Which phase lands first: whichever is ready, or the plan's next",
      ),
      max_reworks: key(
        whole(0, 5, "a whole number from 0 to 5"),
        2,
        "How often a phase is reworked for the same cause before a person is asked",
      ),
      rework_hold: key(
        durationOrNone,
        "1h",
        "How long others wait to land for a phase in its second rework, or a later one; 0s: not",
      ),
      scope_policy: key(
        oneOf("advise", "enforce"),
        "advise",
        "What becomes of changes outside a phase's scope",
      ),
      min_free: key(
        v.pipe(text, v.regex(SIZE, "an amount of disk such as 5GB or 512MiB")),
        "5GB",
        "Free disk below which no phase starts or lands",
      ),
      timeout: key(
        durationOrNone,
        "2h",
        "How long a phase may take without a break; begins again with each attempt and each resume",
      ),
      coder: key(agent, "", "Who writes; empty: your setting; asks for trust"),
      reviewer: key(agent, "", "Who reviews; empty: your setting; asks for trust"),
      checks: key(
        list(command),
        [],
        "Commands that have to pass before a review; none: your setting; asks for trust",
      ),
    },
    "How phases are worked on and landed",
  ),
  context: table(
    {
      repo: key(text, "", "The repository, for people"),
      working_dir: key(folder, ".", "Where agents work, from the root of the repository"),
      goals: key(list(text), [], "What the work is for; in every prompt"),
      constraints: key(list(text), [], "What it has to keep to; in every prompt"),
    },
    "What every agent reads of the project",
  ),
  dependencies: table(
    {
      requires_beads: key(list(text), [], "Issues that are closed first; without effect"),
      requires_nebulae: key(
        list(
          v.pipe(
            text,
            v.check((name) => name === "" || isPlainName(name), "the name of a nebula"),
          ),
        ),
        [],
        "Nebulae that have landed before this one begins",
      ),
    },
    "What has to be done before",
  ),
});

/** The front matter of a phase's file. */
export const FRONT_MATTER = v.object({
  id: key(
    v.pipe(text, v.maxBytes(1024, "a text of at most 1024 bytes")),
    "",
    "Its name in the nebula; required",
  ),
  title: key(text, "", "What it is about, in a line; required"),
  type: key(text, "", "feature, bug, task …"),
  priority: key(whole(-1_000_000, 1_000_000, "a whole number"), 0, "The higher, the earlier"),
  depends_on: key(list(text), [], "Phases that have landed before it begins"),
  blocks: key(list(text), [], "Phases that begin after it has landed"),
  labels: key(list(text), [], "Words for people"),
  assignee: key(text, "", "Who answers for it"),
  max_review_cycles: key(count, 0, "Cycles of coder and reviewer; 0: as the nebula has it"),
  max_budget_usd: key(usd, 0, "What it may cost in all its attempts; 0: as the nebula has it"),
  model: key(model, "", "The coder's model; empty: as the nebula has it"),
  gate: key(gate, "", "When a person is asked; empty: as the nebula has it"),
  scope: key(list(scope), [], "Paths and patterns of what it may change; none: anything"),
  allow_scope_overlap: key(flag, false, "Other phases may have the same scope"),
  checks: key(
    list(command),
    [],
    "Commands that have to pass before a review; none: as the nebula has it; asks for trust",
  ),
  coder: key(agent, "", "Who writes; empty: as the nebula has it; asks for trust"),
  reviewer: key(agent, "", "Who reviews; empty: as the nebula has it; asks for trust"),
  timeout: key(
    durationOrNone,
    "",
    "How long it may take without a break; empty: as the nebula has it",
  ),
  setup: optionalKey(
    list(command),
    "Commands that make its work tree ready; left out: as the nebula has it; asks for trust",
  ),
  decomposed: key(flag, false, "Whether it was split, or is a part of one; without effect"),
  auto_decompose: optionalKey(flag, "Split it if it gets nowhere; without effect"),
});

export type Manifest = v.InferOutput<typeof MANIFEST>;
export type FrontMatter = v.InferOutput<typeof FRONT_MATTER>;

/** What describes the files of a nebula to an editor. */
export const FILE_SCHEMAS = { manifest: MANIFEST, phase: FRONT_MATTER } as const;

/** The keys that have to be there; all may be left out where only their form is checked. */
export const REQUIRED_KEYS = { manifest: ["nebula.name"], phase: ["id", "title"] } as const;
