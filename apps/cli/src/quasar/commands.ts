import type { OptionSpec } from "../shared/command.ts";
import type { Described } from "../shared/command-line.ts";
import { SETTING_NAMES, SETTINGS } from "../shared/config/settings.ts";
import type { CommandSpec } from "./command.ts";

/** How the commands are grouped in the help. */
export const GROUPS = {
  begin: "To begin with:",
  work: "Work on a task:",
  look: "Look at runs:",
  care: "Take care of what is kept:",
} as const;

const RUN: Described = ["[run]", "id of a run; the newest if left out"];
const RUN_OPTION: Described = ["--run <run>", RUN[1]];
const ALL: OptionSpec = ["--all", "every run that is kept, not only the newest"];
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

/** Every command there is, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    group: GROUPS.work,
    summary: "work on a task until a reviewer approves it",
    args: [["[task]", "what to do, in words; - reads it from standard input"]],
    options: [
      ["-f, --file <path>", "read the task from a file"],
      ["--accept-dirty", "start on a dirty tree; those files are never committed by quasar"],
      ["--worktree", "work in a new git worktree, on a branch of its own"],
      ["--new", "start although another run of this tree is unfinished"],
      TRUST,
    ],
    settings: FLAGGED,
    examples: [
      ['quasar run "Add a --dry-run flag"', "claude writes, claude reviews"],
      ["quasar run -f task.md --coder codex", "codex writes"],
      ["quasar run - < task.md", "the task from standard input"],
      ['quasar run "…" --filter "npm test"', "no review before the tests pass"],
      ['quasar run "…" --worktree', "your own files stay as they are"],
    ],
    run: async ([task], given) => (await working()).runCommand(task, given),
  },
  {
    name: "resume",
    group: GROUPS.work,
    summary: "go on with a run that was interrupted",
    args: [["[run]", "id of the run; the newest unfinished one if left out"]],
    options: [
      ["--accept-head", "go on although HEAD is not where the run left it"],
      ["--accept-branch", "go on although HEAD is on another branch"],
      ["--accept-dirty", "leave what you changed alone; it is never committed by quasar"],
      ["--trust", "go on with a checkpoint that this machine did not write"],
      ["--force", "all of the above"],
      ["--now", "ask the agent at once, whatever usage limit or retry is waited for"],
      TRUST,
      ["--plan", "say what would happen and what it may cost, and change nothing"],
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
      const { openWorkspace } = await import("@quasar/runs");
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
      "budget that is counted anew",
    args: [["<run>", "id of the run to go on from"]],
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
    name: "ls",
    group: GROUPS.look,
    summary: "list the runs of this work tree, a line each",
    options: [ALL],
    examples: [
      ["quasar ls", "the newest runs"],
      ["quasar ls --all --json", "all of them, for a program"],
    ],
    run: async (_args, given) => (await caring()).lsCommand(given),
  },
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
    summary: "show what a run has gone through",
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
    options: [["--stat", "only which files, and how much"]],
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
    description: "show what each turn of a run has cost, and what counts against its limit",
    args: [RUN],
    examples: [
      ["quasar cost", "the newest run"],
      [`quasar cost ${ID} --json`, "this one, for a program"],
    ],
    run: async ([id], given) => (await caring()).costCommand(id, given),
  },
  {
    name: "snapshots",
    group: GROUPS.care,
    summary: "list uncommitted work that was kept",
    description: "list uncommitted work of a run that was kept before something replaced it",
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
    summary: "bring a snapshot back",
    description: "make the files what a snapshot holds; what they were is kept in a new one",
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
    summary: "give a run up, and end its agents",
    description: "give a run up: its agents are ended, and nothing goes on with it",
    args: [["<run>", "id of the run"]],
    options: [["--yes", "end an agent that still works, without asking"]],
    examples: [
      [`quasar abandon ${ID}`, "its commits and files stay"],
      [`quasar abandon ${ID} --yes`, "even if its agent still works"],
    ],
    run: async ([id = ""], given) => (await caring()).abandonCommand(id, given),
  },
  {
    name: "prune",
    group: GROUPS.care,
    summary: "remove what is kept of runs that have ended",
    description: "remove what is kept of runs that have ended: files and snapshots",
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
    name: "doctor",
    group: GROUPS.care,
    summary: "find what crashes have left and what stands in a run's way",
    description:
      "find what crashes have left, and fix it if told to; find what stands in the way\n" +
      "of a run before it starts: agents, git, disks, folders, limits; says what kept\n" +
      "runs take; leaves with 1 while something is wrong, and a warning is not",
    options: [["--fix", "fix what can be fixed without losing anything"]],
    examples: [
      ["quasar doctor", "look, and change nothing"],
      ["quasar doctor --fix", "fix what loses nothing"],
    ],
    run: async (_args, given) => (await caring()).doctorCommand(given),
  },
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
    summary: "see a run fail, be killed and go on",
    description: "see a run fail, be killed and go on: no agent, no key, no network",
    options: [["--keep", "keep the demo's folder to look around in"]],
    examples: [
      ["quasar demo", "about ten seconds"],
      ["quasar demo --keep", "and look at its repository afterwards"],
    ],
    run: async (_args, given) => (await import("./commands/demo.ts")).demoCommand(given),
  },
];

/** What follows the list of commands in the help. */
export const OVERVIEW = `
Examples:
  quasar demo                            see it work: no agent and no key needed
  quasar run "Fix the flaky login test"  start
  quasar resume                          go on after a crash or Ctrl-C
  quasar status                          see where it stands
  quasar log -f                          follow it from another terminal

Exit codes: 0 approved, 1 error, 2 usage, 3 not approved, 4 budget used up,
  5 a person is needed, 6 refused, 7 damaged state, 8 nothing to resume,
  75 usage limit; 129, 130 and 143 interrupted and saved
`;
