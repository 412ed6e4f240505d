import type { Families, OptionSpec } from "../shared/command.ts";
import type { Described } from "../shared/command-line.ts";
import { agentsSpec } from "../shared/agents-spec.ts";
import { completionSpec } from "../shared/completion/spec.ts";
import { SETTING_NAMES, SETTINGS } from "../shared/config/settings.ts";
import type { CommandSpec } from "./command.ts";

/** How the commands are grouped in the help. */
export const GROUPS = {
  begin: "Getting started:",
  work: "Work on a task:",
  look: "Look at runs:",
  care: "Maintenance:",
} as const;

export const FAMILIES: Families = {
  nebula: { group: GROUPS.work, summary: "work on many phases in parallel, and land them" },
  fleet: { group: GROUPS.work, summary: "have several machines work on nebulae" },
  depot: { group: GROUPS.work, summary: "make what they exchange their work over" },
};

const RUN: Described = ["[run]", "id of a run; the newest if left out"];
const RUN_OR_NEBULA: Described = [
  "[run or nebula]",
  "id of a run; else a nebula's name, id or folder; if left out what was worked on last",
];
const RUN_OR_NEBULA_TO_WATCH: Described = [
  "[run or nebula]",
  "id of a run, or name, id or folder of a nebula; if left out what works, else the newest",
];
const RUN_OPTION: Described = ["--run <run>", RUN[1]];
const NEBULA: Described = [
  "[nebula]",
  "its name, id or folder; if left out the unfinished one, else the newest",
];
const PHASE: Described = ["<phase>", "its id in the nebula"];
const PHASE_OR_PLAN: Described = ["[phase]", "its id in the nebula; the plan if left out"];
const OF_NEBULA: OptionSpec = ["--nebula <nebula>", NEBULA[1]];
const OF_FLEET: OptionSpec = [
  "--fleet <url>",
  "the server; else QUASAR_FLEET, else url in [fleet] of your own configuration",
];
/** Who has no fleet reads nothing of one. */
const OVER_FLEET: OptionSpec = ["--fleet <url>", undefined];
const DEPOTS: OptionSpec = [
  "--depot <url...>",
  "depots whose nebulae are worked on; else depots in [fleet] of your configuration",
];
const STAT: OptionSpec = ["--stat", "only which files, and how much"];
const ALL: OptionSpec = ["--all", "every run that is kept, not only the newest"];
const WATCH: OptionSpec = ["--watch", "show it on a full screen, as quasar watch does"];
const TRUST: OptionSpec = [
  "--trust-config",
  "let .quasar/config.toml run programs and raise the budget",
];

const FLAGGED = SETTING_NAMES.filter((name) => SETTINGS[name].flag !== undefined);

const ID = "20261121-101500-7f3a9c";

/** The commands that have agents work. They are loaded in one piece: most of what they need is the same. */
const working = () => import("./commands/work-commands.ts");

/** The commands that show what is kept and take care of it, and of settings: loaded in one piece, too. */
const caring = () => import("./commands/care-commands.ts");

/** The commands of nebulae: loaded in one piece, too. */
const ofNebulae = () => import("./commands/nebula-commands.ts");

/** The commands of a fleet: loaded in one piece, too, but for what the server calls. */
const ofFleets = () => import("./commands/fleet-commands.ts");

const LIST: CommandSpec = {
  name: "list",
  group: GROUPS.look,
  summary: "list the runs of this work tree, a line each",
  options: [ALL],
  examples: [
    ["quasar list", "the newest runs"],
    ["quasar list --all --json", "all of them, for a program"],
  ],
  run: async (_args, given) => (await caring()).listCommand(given),
};

/** Every command there is, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "init",
    group: GROUPS.begin,
    summary: "find the project's checks and agents, and write .quasar/config.toml",
    description:
      "find the project's checks and the agents that are here, ask whether to use\n" +
      "them, and write .quasar/config.toml; what you confirm runs without being asked\n" +
      "again",
    options: [["--yes", "use what is found, without asking"]],
    examples: [["quasar init", "then edit .quasar/config.toml"]],
    run: async (_args, given) => (await caring()).initCommand(given),
  },
  {
    name: "demo",
    group: GROUPS.begin,
    summary: "see a run fail, get killed and resume",
    description: "see a run fail, get killed and resume: no agent, no key, no network",
    options: [["--keep", "keep the demo's folder to look around in"]],
    examples: [
      ["quasar demo", "about ten seconds"],
      ["quasar demo --keep", "and look at its repository afterwards"],
    ],
    run: async (_args, given) => (await import("./commands/demo.ts")).demoCommand(given),
  },
  agentsSpec("quasar", GROUPS.begin, async (given) => (await caring()).agentsCommand(given)),
  completionSpec("quasar", GROUPS.begin),
  {
    name: "run",
    group: GROUPS.work,
    summary: "work on a task until a reviewer approves it",
    args: [["[task]", "what to do, in words; - reads it from standard input"]],
    options: [
      ["-f, --file <path>", "read the task from a file"],
      ["--accept-dirty", "start on a dirty tree; quasar never commits those files"],
      ["--worktree", "work in a new git worktree, on a branch of its own"],
      ["--new", "start although another run of this tree is unfinished"],
      WATCH,
      TRUST,
    ],
    settings: FLAGGED,
    examples: [
      ['quasar run "Add a --dry-run flag"', "claude writes, claude reviews"],
      ["quasar run -f task.md --coder codex", "codex writes"],
      ["quasar run - < task.md", "the task from standard input"],
      ['quasar run "…" --check "npm test"', "no review before the tests pass"],
      ['quasar run "…" --worktree', "your own files stay as they are"],
      ['quasar run "…" --watch', "on a full screen; q has lines again"],
    ],
    run: async ([task], given) => (await working()).runCommand(task, given),
  },
  {
    name: "resume",
    group: GROUPS.work,
    summary: "resume an interrupted run",
    args: [["[run]", "id of the run; the newest unfinished one if left out"]],
    options: [
      ["--accept-head", "accept that HEAD is not where the run left it"],
      ["--accept-branch", "accept that HEAD is on another branch"],
      ["--accept-dirty", "keep your uncommitted changes; quasar never commits them"],
      ["--accept-settings", "accept how git's settings and hooks changed since the run began"],
      ["--trust", "accept a checkpoint that this machine did not write"],
      ["--force", "all of the above"],
      ["--now", "start the agent now, without waiting for a usage limit or retry"],
      WATCH,
      TRUST,
      ["--plan", "show what would happen and what it may cost; change nothing"],
    ],
    settings: FLAGGED,
    keepsSettings: true,
    examples: [
      ["quasar resume", "the newest unfinished run"],
      [`quasar resume ${ID}`, "this one"],
      ["quasar resume --max-cycles 5", "with more cycles than before"],
      ["quasar resume --plan", "what would happen, and nothing else"],
      ["quasar resume --wait-limit 6h", "and wait for a usage limit"],
    ],
    async run([id], given) {
      if (given.plan === true) return (await working()).planCommand(id, given);
      const { openWorkspace } = await import("@quasar/runs/internal");
      const workspace = openWorkspace(process.cwd());
      // Git answers while the rest is loaded, which waits for it, and tells of it if it fails.
      workspace.catch(() => undefined);
      return (await working()).resumeCommand(id, given, workspace);
    },
  },
  {
    name: "fork",
    group: GROUPS.work,
    summary: "start a new run from a checkpoint of another one",
    description:
      "start a new run from a checkpoint of another one, in a work tree of its own:\n" +
      "with its commits and findings, without what it had not committed, and with a\n" +
      "budget that is counted from zero",
    args: [["<run>", "id of the run to fork from"]],
    options: [
      ["--at <cycle>", "as it was when this cycle had ended; as it stands if left out"],
      ["--trust", "take a checkpoint that this machine did not write"],
    ],
    examples: [
      [`quasar fork ${ID}`, "another way on from where it stands"],
      [`quasar fork ${ID} --at 1`, "from the end of its first cycle"],
    ],
    run: async ([id = ""], given) => (await working()).forkCommand(id, given),
  },
  {
    name: "nebula generate",
    summary: "have an agent read the repository and write a nebula",
    description:
      "have an agent read the repository, at HEAD, and write a nebula: phases, and\n" +
      "what they need. It is checked; what is wrong goes back to the agent, up to\n" +
      "three answers. Nothing of it is worked on. Exits with 2 where none is valid",
    args: [["<prompt>", "what the phases are to achieve, in words"]],
    options: [
      ["--dir <dir>", "the nebula's folder, which is new; .nebulas/<first words> if left out"],
      ["--force", "replace the nebula that is there; it is kept as <dir>.before"],
      TRUST,
    ],
    settings: ["coder", "coderModel", "maxBudgetUsd"],
    examples: [
      ['quasar nebula generate "Move all dates to UTC"', "then read it, and quasar nebula plan"],
      ['quasar nebula generate "Add tokens" --dir .nebulas/tokens', "in a folder of this name"],
    ],
    run: async ([prompt = ""], given) => (await ofNebulae()).nebulaGenerateCommand(prompt, given),
  },
  {
    name: "nebula validate",
    summary: "find everything that is wrong with a nebula's files",
    description:
      "find everything that is wrong with the files of a nebula: a folder with\n" +
      "nebula.toml and a Markdown file for each phase. Exits with 2 where there is an\n" +
      "error, with 0 for warnings",
    args: [["[dir]", "the nebula's folder"]],
    options: [
      ["--strict-config", "a key that there is not is an error"],
      ["--schema", "print the JSON Schema of the files instead"],
    ],
    examples: [
      ["quasar nebula validate .nebulas/tokens", "what is wrong with it"],
      ["quasar nebula validate .nebulas/tokens --strict-config", "in CI"],
      ["quasar nebula validate --schema > nebula.schema.json", "for an editor"],
    ],
    run: async ([dir], given) => (await ofNebulae()).nebulaValidateCommand(dir, given),
  },
  {
    name: "nebula plan",
    summary: "show what working on a nebula would mean",
    description:
      "show what working on a nebula would mean: the order of its phases, what they\n" +
      "may cost, what has to pass before one lands, and what needs your yes. Of one\n" +
      "that has begun also what a resume would do: which phases land, which continue\n" +
      "which run, which begin and which wait",
    args: [["<dir or nebula>", "the nebula's folder; of one that has begun its name or id, too"]],
    examples: [
      ["quasar nebula plan .nebulas/tokens", "before anything starts"],
      ["quasar nebula plan tokens", "before it is resumed"],
      ["quasar nebula plan .nebulas/tokens --json | jq .phases", "for a program"],
    ],
    run: async ([dir = ""], given) => (await ofNebulae()).nebulaPlanCommand(dir, given),
  },
  {
    name: "nebula apply",
    summary: "work on a nebula's phases and land them on a branch",
    description:
      "work on the phases of a nebula with parallel agents, each in a work tree of its\n" +
      "own, and land them one by one on nebula/<name>, each on a merged tree that was\n" +
      "verified. Your own work tree and branch stay as they are. On a terminal it has\n" +
      "a full screen, as quasar watch: q has lines again, Ctrl-C stops and saves",
    args: [["<dir or nebula>", "the nebula's folder; with --resume its name or id, too"]],
    options: [
      ["--auto", "work on it; without it, nothing begins"],
      ["--resume", "continue one that was interrupted or stopped"],
      ["--fresh", "begin again; the branch of the one before is kept as <branch>.<id>"],
      ["--max-workers <count>", "phases that are worked on at once"],
      ["--total-budget <usd>", "most that all phases may cost, over all crashes; 0: no limit"],
      ["--base <commit>", "where its branch begins; HEAD if left out"],
      ["--accept-red-base", "commands that fail where it begins count where they newly fail"],
      ["--branch <name>", "the branch, if not nebula/<name>"],
      ["--fail-fast", "begin no phase once one has failed; those at work end and land"],
      ["--push", "push its branch, and nothing else, once all has landed; never by force"],
      ["--mirror", "keep nebula.state.toml and checkpoints in its folder, for other programs"],
      ["--trust-config", "let the nebula and .quasar/config.toml run programs"],
      ["--accept-settings", "accept how git's settings and hooks changed since it began"],
      ["--trust", "accept runs that this machine did not begin here, as after a move"],
      ["--no-input", "ask nothing: what needs a yes is refused; needs a total budget"],
      ["--plain", "lines as they happen, no screen"],
      OVER_FLEET,
      ["--depot <url>", undefined],
    ],
    settings: FLAGGED,
    examples: [
      ["quasar nebula apply .nebulas/tokens --auto", "work on all of its phases"],
      ["quasar nebula apply .nebulas/tokens --auto --resume", "after a crash or a stop"],
      ["quasar nebula apply .nebulas/tokens --auto --max-workers 4", "four phases at once"],
      ["quasar nebula apply .nebulas/tokens --auto --plain", "lines instead of a screen"],
    ],
    run: async ([named = ""], given) => (await ofNebulae()).nebulaApplyCommand(named, given),
  },
  {
    name: "nebula status",
    summary: "show what has landed, what waits, and what to type",
    description:
      "show how a nebula stands, in a few lines: what has landed, what works, what\n" +
      "waits and why (a plan, questions of agents), what it cost, and what to type.\n" +
      "What it is, and all of one phase, are shown by quasar nebula show. Exits with 0\n" +
      "however the nebula stands: a program reads --json",
    args: [NEBULA],
    options: [
      ["--all", "each of its phases, too"],
      ["--cost", "what each attempt of a phase has cost, too"],
      OVER_FLEET,
    ],
    examples: [
      ["quasar nebula status", "those that are unfinished, else the newest"],
      ["quasar nebula status --cost", "what its phases and their attempts have cost"],
      ["quasar nebula status tokens --all", "by its name, with each phase"],
    ],
    run: async ([named], given) => (await ofNebulae()).nebulaStatusCommand(named, given),
  },
  {
    name: "nebula show",
    summary: "show what a nebula is, or all of one of its phases",
    description:
      "show what a nebula is: what it is for, how it is worked on, and its phases; or\n" +
      "all of one phase: its text and settings, its attempts with their runs and why\n" +
      "each was reworked, what it changes, what it cost, and what to type. How the\n" +
      "whole stands is shown by quasar nebula status",
    args: [
      ["[nebula or phase]", `${NEBULA[1]}, or a phase of that`],
      ["[phase]", "its id in the nebula; the nebula as a whole if left out"],
    ],
    examples: [
      ["quasar nebula show", "the nebula that is unfinished, else the newest"],
      ["quasar nebula show parser", "its phase parser"],
      ["quasar nebula show tokens parser --json | jq .attempts", "for a program"],
    ],
    run: async ([named, phase], given) =>
      (await ofNebulae()).nebulaShowCommand(named, phase, given),
  },
  {
    name: "nebula stop",
    summary: "have what works on a nebula end after the turns in flight",
    description:
      "have what works on a nebula end, from any shell: after the turns in flight, or\n" +
      "at once. It is resumed exactly by quasar nebula apply --resume",
    args: [NEBULA],
    options: [["--now", "cut the turns in flight off, as Ctrl-C does"], OVER_FLEET],
    examples: [
      ["quasar nebula stop", "once the agents have done what they do now"],
      ["quasar nebula stop tokens --now", "at once"],
    ],
    run: async ([named], given) => (await ofNebulae()).nebulaStopCommand(named, given),
  },
  {
    name: "nebula pause",
    summary: "have no turn and no phase of a nebula begin for now",
    description:
      "have no turn and no phase of a nebula begin until it is continued, from any\n" +
      "shell, and also where it is resumed later. Turns in flight end and are saved,\n" +
      "and what is approved lands. A file PAUSE in the nebula's folder does the same",
    args: [NEBULA],
    options: [OVER_FLEET],
    examples: [
      ["quasar nebula pause", "the one that is unfinished"],
      ["quasar nebula continue", "when the agents may work again"],
    ],
    run: async ([named], given) => (await ofNebulae()).nebulaPauseCommand(named, given),
  },
  {
    name: "nebula continue",
    summary: "end the pause of a nebula",
    description:
      "end the pause of a nebula. What works on it continues within a second; where\n" +
      "nothing does, quasar nebula apply --resume continues. Exits with 8 where it is\n" +
      "not paused, with 5 where a file PAUSE in its folder pauses it, too",
    args: [NEBULA],
    options: [OVER_FLEET],
    examples: [["quasar nebula continue tokens", "after quasar nebula pause tokens"]],
    run: async ([named], given) => (await ofNebulae()).nebulaContinueCommand(named, given),
  },
  {
    name: "nebula land",
    summary: "land what is approved, and have no agent work",
    description:
      "land the phases that are approved, one by one, each on a merged tree that was\n" +
      "verified, and have no agent work. Exits with 5 where one of them could not land",
    args: [["[phase]", "this one alone; all that are approved if left out"]],
    options: [["--trust-config", "let the nebula and .quasar/config.toml run programs"], OF_NEBULA],
    examples: [
      ["quasar nebula land", "after quasar nebula approve, as in CI"],
      ["quasar nebula land parser", "this phase alone"],
    ],
    run: async ([id], given) => (await ofNebulae()).nebulaLandCommand(id, given),
  },
  {
    name: "nebula update",
    summary: "take over what a nebula's folder says now",
    description:
      "have a nebula that has begun take over what its folder says now: phases that\n" +
      "are new, and the texts of those that have not begun. One that is worked on\n" +
      "takes its text at the end of its cycle, unless that is approved; one that was\n" +
      "keeps the one that it began with. Nothing is removed. An engine that works on\n" +
      "it takes the update within a second",
    args: [["<dir>", "the nebula's folder"]],
    options: [
      ["--dry-run", "only show the difference"],
      ["--trust-config", "let the nebula run programs as it is now"],
      OF_NEBULA,
    ],
    examples: [
      ["quasar nebula update .nebulas/tokens --dry-run", "what would change"],
      ["quasar nebula update .nebulas/tokens", "also while agents work on it"],
    ],
    run: async ([dir = ""], given) => (await ofNebulae()).nebulaUpdateCommand(dir, given),
  },
  {
    name: "nebula update-base",
    summary: "merge what your branch has by now into a nebula's branch",
    description:
      "merge a commit, as that which main is at by now, into a nebula's branch: a\n" +
      "phase of its own, base-<n>, which is verified and lands as any other. Where it\n" +
      "conflicts quasar names the paths, and you decide; with --with-agent agents\n" +
      "rework it. An engine that works takes it within a second; where none does it\n" +
      "lands at once. Exits with 5 where it could not land, with 8 where the branch\n" +
      "has it",
    args: [["[commit]", "what is merged; if left out HEAD, which has to contain its base"]],
    options: [
      ["--with-agent", "have agents rework it where it cannot land"],
      ["--trust-config", "let the nebula and .quasar/config.toml run programs"],
      OF_NEBULA,
    ],
    examples: [
      ["quasar nebula update-base main", "what main has by now"],
      ["quasar nebula update-base --with-agent", "HEAD, and agents resolve conflicts"],
    ],
    run: async ([commit], given) => (await ofNebulae()).nebulaUpdateBaseCommand(commit, given),
  },
  {
    name: "nebula squash",
    summary: "make one commit of all that has landed, on a branch of its own",
    description:
      "make a branch of one commit with the files of the nebula's branch, which stays\n" +
      "as it is: <branch>-squashed",
    args: [NEBULA],
    options: [["--onto <commit>", "what it is put on and already contains; its base if left out"]],
    examples: [["quasar nebula squash tokens", "nebula/tokens-squashed"]],
    run: async ([named], given) => (await ofNebulae()).nebulaSquashCommand(named, given),
  },
  {
    name: "nebula prune",
    summary: "delete what is kept of nebulae that have ended",
    description:
      "delete folders, refs and work trees of nebulae that have ended. Their branches\n" +
      "stay, and what no branch has is kept in a bundle. One with phases that failed\n" +
      "and can be retried is kept",
    args: [["[nebula]", "its name, id or folder; all that have ended if left out"]],
    options: [
      ["--older-than <time>", "only those that ended so long ago"],
      ["--with-failed", "this one, too, although phases of it can be retried"],
      ["--dry-run", "only say what"],
    ],
    examples: [
      ["quasar nebula prune --dry-run", "what would go"],
      ["quasar nebula prune --older-than 14d", "what ended over two weeks ago"],
      ["quasar nebula prune tokens", "this one"],
    ],
    run: async ([named], given) => (await ofNebulae()).nebulaPruneCommand(named, given),
  },
  {
    name: "nebula log",
    summary: "show what has happened to a nebula",
    args: [NEBULA],
    options: [
      ["-f, --follow", "as it happens, until nothing works on the nebula any more"],
      OVER_FLEET,
    ],
    examples: [
      ["quasar nebula log tokens", "from its beginning"],
      ["quasar nebula log -f", "as it happens, in another terminal"],
    ],
    run: async ([named], given) => (await ofNebulae()).nebulaLogCommand(named, given),
  },
  {
    name: "nebula diff",
    summary: "show what a phase has changed",
    args: [PHASE],
    options: [
      ["--landed", "what its landing changes on the branch"],
      ["--since-approval", "what differs from the change that was approved"],
      STAT,
      OF_NEBULA,
    ],
    examples: [
      ["quasar nebula diff parser", "what was approved, from where it began"],
      ["quasar nebula diff parser --landed", "what lands, merged with the others"],
    ],
    run: async ([id = ""], given) => (await ofNebulae()).nebulaDiffCommand(id, given),
  },
  {
    name: "nebula answer",
    summary: "answer a question of an agent",
    description:
      "answer a question that an agent of a phase has asked, once, from any shell: the\n" +
      "answer stands before the phase's next prompt. quasar nebula status shows them",
    args: [
      ["<question>", "its id"],
      ["<text>", "the answer: up to 4,000 characters"],
    ],
    options: [
      ["--nebula <nebula>", "its name, id or folder; that of the question if left out"],
      OVER_FLEET,
    ],
    examples: [
      ['quasar nebula answer q-3f9a1c20 "Keep both flags"', "then apply it with --resume"],
    ],
    run: async ([question = "", text = ""], given) =>
      (await ofNebulae()).nebulaQuestionCommand(question, text, given),
  },
  {
    name: "nebula approve",
    summary: "let a plan begin, or a phase's change land, that waits",
    description:
      "let the change of a phase land that waits for you; without a phase: let the\n" +
      'phases begin of a nebula whose gate is "approve"',
    args: [PHASE_OR_PLAN],
    options: [OF_NEBULA, OVER_FLEET],
    examples: [
      ["quasar nebula approve parser", "after quasar nebula diff parser --landed"],
      ["quasar nebula approve --nebula tokens", "its plan, after quasar nebula plan DIR"],
    ],
    run: async ([id], given) => {
      const { nebulaAnswerCommand, nebulaPlanDecisionCommand } = await ofNebulae();
      return id === undefined
        ? nebulaPlanDecisionCommand("approve", given)
        : nebulaAnswerCommand("approve", id, given);
    },
  },
  {
    name: "nebula reject",
    summary: "send a phase that waits back to its agents, or stop a plan",
    description:
      "send a phase that waits for you back to its agents, or one that you approved\n" +
      "and that has not landed; without a phase: keep the plan that waits from\n" +
      "beginning until its files are others (nebula update)",
    args: [PHASE_OR_PLAN],
    options: [
      ["--reason <text>", "what is wrong, for its agents; needed unless it is for good"],
      ["--final", "for good: it fails, and what needs it is skipped"],
      OF_NEBULA,
      OVER_FLEET,
    ],
    examples: [
      ['quasar nebula reject parser --reason "keep the old flag"', "it is worked on again"],
      ['quasar nebula reject --nebula tokens --reason "too much"', "no phase begins"],
    ],
    run: async ([id], given) => {
      const { nebulaAnswerCommand, nebulaPlanDecisionCommand } = await ofNebulae();
      return id === undefined
        ? nebulaPlanDecisionCommand("reject", given)
        : nebulaAnswerCommand("reject", id, given);
    },
  },
  {
    name: "nebula retry",
    summary: "begin a phase again that failed, was skipped or waits",
    args: [PHASE],
    options: [OF_NEBULA, OVER_FLEET],
    examples: [["quasar nebula retry parser", "on what has landed by now"]],
    run: async ([id = ""], given) => (await ofNebulae()).nebulaAnswerCommand("retry", id, given),
  },
  {
    name: "nebula skip",
    summary: "leave a phase out, and what needs it",
    args: [PHASE],
    options: [["--reason <text>", "why, for the record"], OF_NEBULA, OVER_FLEET],
    examples: [["quasar nebula skip parser", "the others continue"]],
    run: async ([id = ""], given) => (await ofNebulae()).nebulaAnswerCommand("skip", id, given),
  },
  {
    name: "nebula demo",
    summary: "see four phases conflict, get killed and land",
    description: "see four phases conflict, get killed and land: no agent, no key, no network",
    options: [["--keep", "keep the demo's folder to look around in"]],
    examples: [
      ["quasar nebula demo", "about fifteen seconds"],
      ["quasar nebula demo --keep", "and look at its repository afterwards"],
    ],
    run: async (_args, given) =>
      (await import("./commands/nebula-demo.ts")).nebulaDemoCommand(given),
  },
  {
    name: "nebula fetch",
    summary: "bring the branch of a nebula of a fleet here",
    args: [["[nebula]", "its name or id; if left out the unfinished one, else the newest"]],
    options: [OF_FLEET],
    examples: [["quasar nebula fetch tokens", "then merge nebula/tokens"]],
    run: async ([named], given) => (await ofFleets()).nebulaFetchCommand(named, given),
  },
  {
    name: "depot init",
    summary: "make the repository over which machines exchange work",
    args: [["<path>", "of a folder that is not there yet"]],
    examples: [["quasar depot init /srv/depot.git", "others reach it by ssh://HOST/srv/depot.git"]],
    run: async ([path = ""], given) => (await ofFleets()).depotInitCommand(path, given),
  },
  {
    name: "worker",
    group: GROUPS.work,
    summary: "work on the nebulae of a fleet, on this machine",
    description:
      "work on the nebulae of a fleet until Ctrl-C: take phases, and what lands them\n" +
      "where no machine does. It is started again where it dies, and resumes exactly.\n" +
      "Agents, checks and secrets are those of this machine and user",
    options: [
      OF_FLEET,
      DEPOTS,
      ["--max <count>", "phases that are worked on at once; 1 if left out"],
      ["--ttl <seconds>", "how soon others take over where it is gone; 30 if left out"],
      ["--name <name>", "what others see of this machine; its host name if left out"],
    ],
    examples: [
      ["quasar worker --depot ssh://git@10.0.0.5/srv/depot.git", "one phase"],
      ["quasar worker --max 4", "four at once, of the fleet in your configuration"],
    ],
    run: async (_args, given) => (await ofFleets()).workerCommand(given),
  },
  {
    name: "fleet up",
    summary: "try a fleet on this machine: start a server for it",
    description:
      "try a fleet on this machine: start restate-server, which is installed by hand,\n" +
      "and what it calls, until Ctrl-C. Nothing of it is reachable from another\n" +
      "machine. Started again with the same folder it continues with its data, at the\n" +
      "same ports where they are free. Exits with 6 where there is no restate-server",
    options: [
      ["--dir <folder>", "where its data is; fleet in your state folder if left out"],
      ["--port <port>", "where workers call it; the last one, or any that is free, if left out"],
    ],
    json: "where it is, a line as soon as it takes calls",
    examples: [
      ["quasar fleet up", "then what it prints, in other shells"],
      ["quasar fleet up --port 8080", "always at the same port"],
    ],
    run: async (_args, given) => (await ofFleets()).fleetUpCommand(given),
  },
  {
    name: "fleet serve",
    summary: "serve what a fleet's server calls, beside a server of yours",
    description:
      "serve the object that a fleet's Restate server calls, until Ctrl-C, beside a\n" +
      "server that you run (docs/fleet.md). No worker needs it on its own machine",
    options: [
      ["--host <address>", "where it listens; 127.0.0.1, this machine alone, if left out"],
      ["--port <port>", "9080 if left out; 0: any that is free"],
      ["--identity-key <key...>", "answer this server alone: publickeyv1_… (repeatable)"],
      ["--admin <url>", "register it at the server's admin port"],
    ],
    json: "where it is, a line as soon as it takes calls",
    examples: [
      ["quasar fleet serve --admin http://127.0.0.1:9070", "on the server's machine"],
      ["quasar fleet serve --identity-key publickeyv1_…", "it answers one server alone"],
    ],
    run: async (_args, given) => (await ofFleets()).fleetServeCommand(given),
  },
  {
    name: "fleet status",
    summary: "show the nebulae of a fleet, and which machine works on what",
    options: [OF_FLEET],
    examples: [
      ["quasar fleet status", "of your fleet"],
      ["quasar fleet status --json | jq .nebulae", "for a program"],
    ],
    run: async (_args, given) => (await ofFleets()).fleetStatusCommand(given),
  },
  {
    name: "fleet doctor",
    summary: "check a fleet's server, key and depots from here",
    description:
      "check from this machine whether the fleet's server answers and takes the key,\n" +
      "whether each depot of your configuration can be reached, and whether there is\n" +
      "a restate-server. Exits with 1 while there is a problem, with 0 for warnings",
    options: [OF_FLEET],
    examples: [["quasar fleet doctor", "on each machine"]],
    run: async (_args, given) => (await ofFleets()).fleetDoctorCommand(given),
  },
  {
    name: "status",
    group: GROUPS.look,
    summary: "show where the newest runs stand, and what is next",
    description: "show the runs of this work tree, and what to type next",
    args: [["[run]", "id of a run; the newest ones if left out"]],
    options: [ALL],
    examples: [
      ["quasar status", "the newest runs of this work tree"],
      [`quasar status ${ID}`, "one run in full"],
      ["quasar status --json", "for a program"],
    ],
    run: async ([id], given) => (await caring()).statusCommand(id, given),
  },
  {
    name: "watch",
    group: GROUPS.look,
    summary: "watch a run or a nebula on a full screen, and decide what waits",
    description:
      "watch a run or a nebula on a full screen as agents work on it: who needs you,\n" +
      "what it costs, and what each agent does; accept, reject, retry, skip and pause\n" +
      "by a key. Leave it at any time: the work continues. Without a terminal, in CI\n" +
      "and with --plain it follows the log",
    args: [RUN_OR_NEBULA_TO_WATCH],
    options: [["--plain", "lines as they happen, no screen"], OVER_FLEET],
    json: "the lines of quasar log -f, or of quasar nebula log -f",
    examples: [
      ["quasar watch", "what works now, else the newest"],
      ["quasar watch tokens", "the nebula tokens"],
      [`quasar watch ${ID}`, "this run"],
      ["quasar watch --plain", "for a screen reader or a dumb terminal"],
    ],
    run: async ([named], given) => (await import("./commands/watch.ts")).watchCommand(named, given),
  },
  {
    name: "web",
    group: GROUPS.look,
    summary: "show a run or a nebula in a browser as it is worked on, and decide there",
    description:
      "show a run or a nebula in a browser as agents work on it: the page of quasar\n" +
      "report, live. Of a nebula approve, reject, answer and pause there, each with\n" +
      "what it is about. It prints the page's address, which no other machine can\n" +
      "reach, and serves it until Ctrl-C; the work continues",
    args: [RUN_OR_NEBULA_TO_WATCH],
    options: [
      ["--port <port>", "of the page; any that is free if left out, or 0"],
      ["--open", "show it in a browser"],
    ],
    json: "the address, a line as soon as the page is there",
    examples: [
      ["quasar web", "what works now, else the newest"],
      ["quasar web tokens --open", "the nebula tokens, in your browser"],
      [`quasar web ${ID} --port 8080`, "this run, for a tunnel of yours"],
      ["quasar web --json | jq -r .url", "for a program"],
    ],
    run: async ([named], given) => (await import("./commands/web.ts")).webCommand(named, given),
  },
  LIST,
  { ...LIST, name: "ls", isUnlisted: true },
  {
    name: "show",
    group: GROUPS.look,
    summary: "show all of one run, or what an agent did in one turn",
    description:
      "show all of one run: its turns, commits, findings, and where its files are; or\n" +
      "of one turn: what its agent said and did",
    args: [["[run or turn]", "id of a run, or number of a turn; the newest run if left out"]],
    examples: [
      ["quasar show", "all of the newest run"],
      [`quasar show ${ID}`, "all of this one"],
      ["quasar show 3", "what the agent did in the newest run's third turn"],
      [`quasar show ${ID}.3`, "in this run's"],
      ["quasar show --json | jq .turns", "for a program"],
    ],
    run: async ([id], given) => (await caring()).showCommand(id, given),
  },
  {
    name: "log",
    group: GROUPS.look,
    summary: "show a run's event log",
    args: [RUN],
    options: [
      ["-f, --follow", "as it happens until the run ends, with what the agents say and do"],
      ["--agent", "with what the agents said and did"],
    ],
    json: "the journal's facts, a line each; with --agent what the agents said and did, too",
    examples: [
      ["quasar log", "the newest run"],
      ["quasar log -f", "as it happens, in another terminal"],
      ["quasar log --agent", "with what the agents said and did"],
      ["quasar log --json | jq .type", "for a program"],
    ],
    run: async ([id], given) => (await caring()).logCommand(id, given),
  },
  {
    name: "diff",
    group: GROUPS.look,
    summary: "show what a run has changed",
    description:
      "show what a run has committed since it began, for reading; on a terminal by GIT_PAGER, PAGER or less",
    args: [RUN],
    options: [STAT],
    examples: [
      ["quasar diff", "of the newest run"],
      [`quasar diff ${ID} --stat`, "the files of this one"],
    ],
    run: async ([id], given) => (await caring()).diffCommand(id, given),
  },
  {
    name: "cost",
    group: GROUPS.look,
    summary: "show what each turn of a run has cost",
    description:
      "show what each turn of a run has cost, and what counts against its limit;\n" +
      "without a name of the newest run, and what nebulae of the repository have cost",
    args: [RUN],
    examples: [
      ["quasar cost", "the newest run"],
      [`quasar cost ${ID} --json`, "this one, for a program"],
    ],
    run: async ([id], given) => (await caring()).costCommand(id, given),
  },
  {
    name: "report",
    group: GROUPS.look,
    summary: "write what a run or a nebula came to, as Markdown or as a page",
    description:
      "write what a run or a nebula came to as Markdown, for the description of a pull\n" +
      "request: its verdict, findings, checks, cost, turns, commits and crashes; of a\n" +
      "nebula its phases, landings, cost, findings, crashes, and what needs a person.\n" +
      "Secrets are taken out, and nothing that an agent wrote links or calls anybody.\n" +
      "As a page it is one file, which asks for nothing from the network, and has a\n" +
      "timeline, diffs and transcripts too",
    args: [RUN_OR_NEBULA],
    options: [
      ["--md", "as Markdown, which it is anyway"],
      ["--html <path>", "as a page, in a file"],
      ["--open", "as a page, which a browser shows"],
      ["--force", "replace the file even if it is no report"],
      OVER_FLEET,
    ],
    examples: [
      ["quasar report | gh pr create --body-file -", "what was worked on last"],
      [`quasar report ${ID} --json | jq .findings`, "this run, for a program"],
      ["quasar report tokens", "the nebula of this name"],
      [`quasar report ${ID} --html report.html`, "this run, as a page"],
    ],
    run: async ([id], given) => (await caring()).reportCommand(id, given),
  },
  {
    name: "snapshots",
    group: GROUPS.care,
    summary: "list snapshots of uncommitted work",
    description: "list snapshots of a run's uncommitted work, taken before something replaced it",
    args: [RUN],
    examples: [
      ["quasar snapshots", "of the newest run"],
      [`quasar snapshots ${ID}`, "of this one"],
    ],
    run: async ([id], given) => (await caring()).snapshotsCommand(id, given),
  },
  {
    name: "restore",
    group: GROUPS.care,
    summary: "restore a snapshot",
    description: "restore the files of a snapshot; the current ones are kept in a new snapshot",
    args: [["<n>", "number of the snapshot"]],
    options: [RUN_OPTION],
    examples: [
      ["quasar snapshots", "see which there are"],
      ["quasar restore 2", "bring the second back"],
      [`quasar restore 2 --run ${ID}`, "of this run"],
    ],
    run: async ([n = ""], given) => (await caring()).restoreCommand(n, given),
  },
  {
    name: "abandon",
    group: GROUPS.work,
    summary: "give up a run, and end its agents",
    description: "give up a run: its agents are ended, and it can't be resumed",
    args: [["<run>", "id of the run"]],
    options: [["--yes", "end a running agent without asking"]],
    examples: [
      [`quasar abandon ${ID}`, "its commits and files stay"],
      [`quasar abandon ${ID} --yes`, "even if its agent still works"],
    ],
    run: async ([id = ""], given) => (await caring()).abandonCommand(id, given),
  },
  {
    name: "prune",
    group: GROUPS.care,
    summary: "delete files of ended runs",
    description: "delete files and snapshots of ended runs",
    args: [["[run]", "id of a run, of whatever age; those of that age if left out"]],
    options: [
      ["--older-than <time>", "leave younger ones alone", "30d"],
      ["--stopped", "those, too, that have not ended and could be resumed"],
      ["--dry-run", "only say which"],
    ],
    examples: [
      ["quasar prune --dry-run", "which runs ended over 30 days ago"],
      ["quasar prune --older-than 7d", "remove those of over a week ago"],
      [`quasar prune ${ID}`, "remove this one, however young"],
      ["quasar prune --stopped --older-than 90d", "those that nobody has resumed, too"],
    ],
    run: async ([id], given) => (await caring()).pruneCommand(id, given),
  },
  {
    name: "config",
    group: GROUPS.care,
    summary: "show each setting, and where it is set",
    description:
      "show each setting that a new run here would have, and where it is set: a\n" +
      "variable of the environment, .quasar/config.toml, your own file, or the default",
    examples: [
      ["quasar config", "all settings"],
      ["quasar config --json | jq .settings", "for a program"],
    ],
    run: async (_args, given) => (await caring()).configCommand(given),
  },
  {
    name: "doctor",
    group: GROUPS.care,
    summary: "check what a run needs, and fix what crashes left behind",
    description:
      "check what a run needs before it starts: agents, git, disks, folders, limits;\n" +
      "find what crashes left behind, and fix it with --fix; show the disk space of\n" +
      "kept runs. Exits with 1 while there is a problem, with 0 for warnings",
    options: [["--fix", "fix what can be fixed without losing anything"]],
    examples: [
      ["quasar doctor", "look, and change nothing"],
      ["quasar doctor --fix", "fix what loses nothing"],
    ],
    run: async (_args, given) => (await caring()).doctorCommand(given),
  },
  {
    name: "mcp",
    group: GROUPS.look,
    summary: "let other agents see runs and nebulae: a server of the Model Context Protocol",
    description:
      "serve the runs and nebulae of a repository by the Model Context Protocol, on\n" +
      "standard input and output, to the agent that starts it. It only reads, unless\n" +
      "--allow says more; only a person approves (docs/mcp.md)",
    args: [["[dir]", "a folder of the repository; the current one if left out"]],
    options: [
      [
        "--allow <permission...>",
        "also: start (runs), control (resume, stop, pause), answer (questions)",
      ],
      ["--budget-cap <usd>", "most that one run may be started with; 5 if left out"],
      ["--max-running <n>", "most runs that it has at work at once; 2 if left out"],
      ["--max-per-hour <n>", "most runs that it starts in an hour; 6 if left out"],
      ["--print-config <client>", "print its entry for claude, codex, gemini, cursor or vscode"],
    ],
    json: "with --print-config: the entry, and the file that it goes into",
    examples: [
      ["quasar mcp --print-config claude > .mcp.json", "for Claude Code, where there is none yet"],
      ["quasar mcp --print-config codex >> ~/.codex/config.toml", "for Codex"],
      ["quasar mcp --allow start --print-config vscode", "it may start runs, too"],
    ],
    run: async ([dir], given) => (await import("./commands/mcp.ts")).mcpCommand(dir, given),
  },
  {
    name: "schema",
    group: GROUPS.look,
    summary: "print the JSON Schema of what --json prints",
    description: "print the JSON Schema of what a command prints with --json, a line each",
    args: [["[command]", "whose lines it describes; which there are if left out"]],
    examples: [
      ["quasar schema", "which there are"],
      ["quasar schema status", "of quasar status --json"],
      ["quasar schema error", "of an error, whatever the command"],
    ],
    run: async ([name], { json }) => (await caring()).schemaCommand("quasar", name, json),
  },
];

/** What follows the list of commands in the help. */
export const OVERVIEW = `
Examples:
  quasar demo                            see it work: no agent and no key needed
  quasar run "Fix the flaky login test"  start
  quasar resume                          resume after a crash or Ctrl-C
  quasar status                          see where it stands
  quasar watch                           watch it on a full screen
  quasar web                             watch it in a browser
  quasar log -f                          follow it from another terminal

Exit codes: 0 approved, 1 error, 2 usage, 3 not approved, 4 budget used up,
  5 a person is needed, 6 refused, 7 damaged state, 8 nothing to resume,
  75 usage limit; 129, 130 and 143 interrupted and saved
`;
