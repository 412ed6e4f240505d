import type { Families } from "../shared/command.ts";
import type { Described } from "../shared/command-line.ts";
import { agentsSpec } from "../shared/agents-spec.ts";
import { completionSpec } from "../shared/completion/spec.ts";
import type { CommandSpec } from "./command.ts";
import type { AtlasSettings } from "./config/settings.ts";

/** How the commands are grouped in the help. */
export const GROUPS = {
  begin: "Getting started:",
  work: "Work on a task:",
  decide: "Decide on a waiting task:",
  look: "Look at tasks:",
  care: "Maintenance:",
} as const;

/** Commands that have commands of their own. */
export const FAMILIES: Families = {
  step: { group: GROUPS.work, summary: "mark a step done by an agent" },
  hook: { group: GROUPS.look, summary: "look at a task's hook file, receipts and checkpoints" },
  workspace: { group: GROUPS.care, summary: "list, close and destroy workspaces" },
  keys: { group: GROUPS.care, summary: "look after the keys that sign receipts" },
};

const TASK: Described = [
  "[task]",
  "id of a task, its beginning, or a workspace; found by the folder if left out",
];
const TASK_OPTION: Described = ["--task <task>", TASK[1]];
const TRUST: Described = [
  "--trust-config",
  "let .atlas/config.toml run programs and raise the budget",
];

const AGENT_SETTINGS: readonly (keyof AtlasSettings)[] = [
  "coder",
  "reviewer",
  "coderModel",
  "reviewerModel",
  "maxRequests",
  "turnTimeout",
  "idleTimeout",
  "allowedTools",
  "passEnv",
  "checkPassEnv",
  "sandbox",
  "leash",
  "waitLimit",
  "retries",
];

const START_SETTINGS: readonly (keyof AtlasSettings)[] = [
  "template",
  ...AGENT_SETTINGS,
  "maxCycles",
  "maxBudgetUsd",
  "baseBranch",
  "validationCommands",
  "validationTimeout",
  "maxFixes",
  "interval",
  "notify",
  "gitHooks",
];

const VALIDATION_SETTINGS: readonly (keyof AtlasSettings)[] = [
  "validationCommands",
  "validationTimeout",
  "maxFixes",
];

const ID = "task-550e8400";

/** Every command there is, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "init",
    group: GROUPS.begin,
    summary: "find the project's checks and agents, write .atlas/config.toml, tell agents of tasks",
    description:
      "find the project's checks and the agents that are here, ask whether to use them, write " +
      ".atlas/config.toml, and offer to add to CLAUDE.md and AGENTS.md how an agent finds its " +
      "task again",
    options: [["--yes", "use what is found and add to CLAUDE.md and AGENTS.md, without asking"]],
    examples: [
      ["atlas init", "asks before it touches CLAUDE.md or AGENTS.md"],
      ["atlas init --yes", "for a script"],
    ],
    run: async (_args, given) => (await import("./commands/init.ts")).initCommand(given),
  },
  {
    name: "templates",
    group: GROUPS.begin,
    summary: "list the templates: which steps a task can go through",
    args: [["[name]", "one of them, with all that it says of its steps"]],
    options: [TRUST],
    examples: [
      ["atlas templates", "all of them, your own included"],
      ["atlas templates bugfix", "one in full"],
    ],
    run: async ([name], given) =>
      (await import("./commands/templates.ts")).templatesCommand(name, given),
  },
  agentsSpec("atlas", GROUPS.begin, async (given) =>
    (await import("./commands/agents.ts")).agentsCommand(given),
  ),
  completionSpec("atlas", GROUPS.begin),
  {
    name: "start",
    group: GROUPS.work,
    summary: "start a task, and take it through its steps",
    description:
      "start a task: makes a work tree and a branch of its own, and takes it through " +
      "the template's steps, until it is done or a person is needed",
    args: [["[task]", "what to do, in words; - reads it from standard input"]],
    options: [
      ["-f, --file <path>", "read the task from a file"],
      ["--workspace <name>", "name of the workspace; made of the task if left out"],
      ["--var <name=value...>", "a variable of the template (repeatable)"],
      ["--here", "work in this work tree, on its branch"],
      ["--accept-dirty", "with --here: what is not committed counts as the task's"],
      ["--use-local", "start from the base branch as it is here, without fetching it"],
      ["--from-task <task>", "start from the branch of a task that has ended"],
      TRUST,
    ],
    settings: START_SETTINGS,
    examples: [
      ['atlas start "fix null pointer in config" --template bugfix', "seven steps, to a review"],
      ['atlas start "Add a --dry-run flag"', "the template task"],
      ["atlas start -f task.md --coder codex", "codex writes"],
      ['atlas start "…" --validate "npm test"', "what must pass"],
      ['atlas start "…" --here', "no work tree of its own"],
    ],
    run: async ([text], given) => (await import("./commands/start.ts")).startCommand(text, given),
  },
  {
    name: "resume",
    group: GROUPS.work,
    summary: "resume a task, after a crash or a decision",
    description:
      "resume a task: recovers it if it was interrupted, and runs the steps that are " +
      "left; where a person is needed it says for what, and changes nothing",
    args: [TASK],
    options: [["--now", "start the agent now, without waiting for a usage limit or retry"]],
    settings: [...AGENT_SETTINGS, "maxBudgetUsd"],
    keepsSettings: true,
    examples: [
      ["atlas resume", "the task of this folder"],
      [`atlas resume ${ID}`, "this one"],
      ["atlas resume --coder codex", "with another agent than before"],
      ["atlas resume --wait-limit 6h", "and wait for a usage limit"],
    ],
    run: async ([task], given) => (await import("./commands/resume.ts")).resumeCommand(task, given),
  },
  {
    name: "recover",
    group: GROUPS.work,
    summary: "see what a crash left behind, and choose how to continue",
    description:
      "see what a crash left behind and what can be done about it, with reasons; choose one, and " +
      "continue with atlas resume",
    args: [TASK],
    options: [
      ["--apply <action>", "choose without being asked: resume, retry, skip …"],
      ["--reason <text>", "for skip and abandon"],
      ["--feedback <text>", "for reject"],
    ],
    examples: [
      ["atlas recover", "look, and choose"],
      ["atlas recover --apply retry", "for a script"],
    ],
    run: async ([task], given) =>
      (await import("./commands/recover.ts")).recoverCommand(task, given),
  },
  {
    name: "validate",
    group: GROUPS.work,
    summary: "run the validation commands and sign what came of them",
    description:
      "run the validation commands in the task's work tree and sign a receipt for each; in " +
      "another step than a validation this does not advance the task",
    args: [TASK],
    examples: [
      ["atlas validate", "the task of this folder"],
      ["atlas validate --json | jq .receiptIds", "for a program"],
    ],
    run: async ([task], given) =>
      (await import("./commands/validate.ts")).validateCommand(task, given),
  },
  {
    name: "step done",
    summary: "end the step that an agent has worked on",
    description:
      "end the step that an agent has worked on by HOOK.md alone, with no atlas running: what " +
      "the next one is, atlas hook context tells",
    args: [TASK],
    options: [["--summary <text>", "what was done, in a line"]],
    examples: [['atlas step done --summary "added the nil checks"', "and the next step is due"]],
    run: async ([task], given) =>
      (await import("./commands/step-done.ts")).stepDoneCommand(task, given),
  },
  {
    name: "checkpoint",
    group: GROUPS.work,
    summary: "save a checkpoint note",
    args: [["[description]", "what has been reached"]],
    options: [
      ["--trigger <trigger>", "manual; git_commit with --auto is the git hook's own"],
      ["--auto", "called by a git hook or a timer: says nothing and never fails"],
      TASK_OPTION,
    ],
    examples: [
      ['atlas checkpoint "nil checks are in, tests are not"', "for who comes after a crash"],
      ["atlas checkpoint --trigger git_commit --auto", "what the git hook runs"],
    ],
    run: async ([text], given) =>
      (await import("./commands/checkpoint.ts")).checkpointCommand(text, given),
  },
  {
    name: "abandon",
    group: GROUPS.work,
    summary: "give up a task, and end its agents",
    description: "give up a task: its agents are ended; its branch, commits and files stay",
    args: [TASK],
    options: [
      ["--reason <text>", "why, for the record"],
      ["--yes", "without asking"],
    ],
    examples: [
      ["atlas abandon", "asks first"],
      [`atlas abandon ${ID} --yes --reason "no longer needed"`, "for a script"],
    ],
    run: async ([task], given) =>
      (await import("./commands/abandon.ts")).abandonCommand(task, given),
  },
  {
    name: "approve",
    group: GROUPS.decide,
    summary: "approve the work under review, after seeing its diff",
    description:
      "show all that the task has changed, and approve it: that very content, once. The task " +
      "continues with atlas resume. Approval is not access control: an agent running as " +
      "you can approve. What was approved is on record, and so is when.",
    args: [TASK],
    options: [
      ["--yes", "without asking"],
      ["--tree <id>", "without asking, if this is still the content: as --json shows it"],
      ["--accept-unvalidated", "although it is not what was validated"],
      ["--accept-uncommitted", "although something of it is not committed"],
      ["--accept-ignored", "although something of it is ignored by git, so in no commit"],
      ["--accept-unpushed", "although commits of it are not pushed, so in no pull request"],
    ],
    examples: [
      ["atlas approve", "shows the diff, then asks"],
      ["atlas approve --yes", "for a script"],
    ],
    run: async ([task], given) =>
      (await import("./commands/approve.ts")).approveCommand(task, given),
  },
  {
    name: "reject",
    group: GROUPS.decide,
    summary: "send the work under review back, or refuse it for good",
    args: [TASK],
    options: [
      ["--feedback <text>", "what is wrong; the agent gets it"],
      ["--final", "the task has failed"],
    ],
    examples: [
      ['atlas reject --feedback "a test is missing"', "another attempt"],
      ["atlas reject --final", "no other attempt"],
    ],
    run: async ([task], given) => (await import("./commands/reject.ts")).rejectCommand(task, given),
  },
  {
    name: "retry",
    group: GROUPS.decide,
    summary: "retry the stopped step",
    args: [TASK],
    options: [
      ["--accept-settings", "accept how git's settings and hooks changed since the task began"],
      TRUST,
    ],
    settings: VALIDATION_SETTINGS,
    examples: [
      ["atlas retry", "then atlas resume"],
      ['atlas retry --validate "npm test"', "with other validation commands than before"],
    ],
    run: async ([task], given) => (await import("./commands/retry.ts")).retryCommand(task, given),
  },
  {
    name: "skip",
    group: GROUPS.decide,
    summary: "skip the stopped step",
    description: "skip the stopped step: it is recorded as skipped, never as completed",
    args: [TASK],
    options: [["--reason <text>", "why, for the record"]],
    examples: [['atlas skip --reason "pushed by hand"', "then atlas resume"]],
    run: async ([task], given) => (await import("./commands/skip.ts")).skipCommand(task, given),
  },
  {
    name: "status",
    group: GROUPS.look,
    summary: "show where a task stands, and what is next",
    args: [TASK],
    options: [["--all", "every task that is kept, as atlas list"]],
    examples: [
      ["atlas status", "the task of this folder"],
      ["atlas status --all", "all tasks"],
      ["atlas status --json", "for a program"],
    ],
    run: async ([task], given) => (await import("./commands/status.ts")).statusCommand(task, given),
  },
  {
    name: "list",
    group: GROUPS.look,
    summary: "list all tasks, a line each",
    examples: [
      ["atlas list", "every task that is kept"],
      ["atlas list --json", "for a program"],
    ],
    run: async (_args, given) => (await import("./commands/list.ts")).listCommand(given),
  },
  {
    name: "show",
    group: GROUPS.look,
    summary: "show all of one task, or what an agent did in one turn",
    description:
      "show all of one task: its steps and what came of them, its agents' turns, the reviewers' " +
      "findings, and where its files are; or of one turn: what its agent said and did",
    args: [
      ["[task]", TASK[1]],
      ["[turn]", "run and number of a turn, as in implement-1.2"],
    ],
    examples: [
      ["atlas show", "all of the task of this folder"],
      [`atlas show ${ID}`, "all of this one"],
      ["atlas show implement-1.2", "what the agent did in the run's second turn"],
      [`atlas show ${ID} implement-1.2`, "in this task"],
      ["atlas show --json | jq .runs", "for a program"],
    ],
    run: async ([task, turn], given) =>
      (await import("./commands/show.ts")).showCommand(task, turn, given),
  },
  {
    name: "log",
    group: GROUPS.look,
    summary: "show a task's event log",
    args: [TASK],
    json: "each event as a line",
    examples: [
      ["atlas log", "the task of this folder"],
      [`atlas log ${ID} --json | jq .type`, "this one, for a program"],
    ],
    run: async ([task], given) => (await import("./commands/log.ts")).logCommand(task, given),
  },
  {
    name: "diff",
    group: GROUPS.look,
    summary: "show what a task has changed",
    description:
      "show what a task has changed since it began, committed or not; on a terminal by " +
      "GIT_PAGER, PAGER or less",
    args: [TASK],
    options: [["--stat", "only which files, and how much"]],
    examples: [
      ["atlas diff", "the task of this folder"],
      [`atlas diff ${ID} --stat`, "the files of this one"],
    ],
    run: async ([task], given) => (await import("./commands/diff.ts")).diffCommand(task, given),
  },
  {
    name: "cost",
    group: GROUPS.look,
    summary: "show what each turn of a task has cost",
    args: [TASK],
    examples: [
      ["atlas cost", "the task of this folder"],
      [`atlas cost ${ID} --json`, "this one, for a program"],
    ],
    run: async ([task], given) => (await import("./commands/cost.ts")).costCommand(task, given),
  },
  {
    name: "verify",
    group: GROUPS.look,
    summary: "verify that a commit is what was validated, also in a CI",
    description:
      "verify the receipts of a task: that none is changed or missing, that their commands " +
      "passed, and that a commit has the tree on which they did. Needs no private key. Leaves " +
      "with 10 if that is not so, and with 11 if it cannot be said here",
    args: [["[task-or-commit]", "a task, or a commit of this repository (default: HEAD)"]],
    options: [
      ["--key <file>", "trust this public key only, as atlas keys export prints it"],
      ["--receipts <folder>", "the receipts, where the task is not here"],
      ["--head <head>", "Quasar-Receipts of the pull request: count and digest"],
      ["--require <command...>", "a command that must have passed (repeatable)"],
    ],
    examples: [
      ["atlas verify", "the commit that is checked out"],
      [`atlas verify ${ID}`, "a task: its receipts, and the tip of its branch"],
      ["atlas verify HEAD --key atlas.pub --receipts receipts", "in a CI"],
    ],
    run: async ([what], given) => (await import("./commands/verify.ts")).verifyCommand(what, given),
  },
  {
    name: "schema",
    group: GROUPS.look,
    summary: "print the JSON Schema of what --json prints",
    description: "print the JSON Schema of what a command prints with --json, a line each",
    args: [["[command]", "whose lines it describes; which there are if left out"]],
    examples: [
      ["atlas schema", "which there are"],
      ["atlas schema hook-status", "of atlas hook status --json"],
    ],
    run: async ([name], { json }) =>
      (await import("../shared/schema-command.ts")).schemaCommand("atlas", name, json),
  },
  {
    name: "hook status",
    summary: "show the state, the step and the last checkpoint",
    args: [TASK],
    examples: [["atlas hook status", "the task of this folder"]],
    run: async ([task], given) =>
      (await import("./commands/hook-status.ts")).hookStatusCommand(task, given),
  },
  {
    name: "hook context",
    summary: "print the HOOK.md of this work tree's active task",
    description:
      "print the HOOK.md of the active task that works in this work tree, as it is now; leaves " +
      "with 1 if there is none",
    examples: [["atlas hook context", "what an agent without memory reads first"]],
    run: async (_args, given) =>
      (await import("./commands/hook-context.ts")).hookContextCommand(given),
  },
  {
    name: "hook checkpoints",
    summary: "list all checkpoints of a task",
    args: [TASK],
    examples: [
      ["atlas hook checkpoints", "oldest first"],
      ["atlas hook checkpoints --json", "for a program"],
    ],
    run: async ([task], given) =>
      (await import("./commands/hook-checkpoints.ts")).hookCheckpointsCommand(task, given),
  },
  {
    name: "hook verify-receipt",
    summary: "say whether a receipt is what was signed",
    description:
      "say whether a receipt is what was signed, and its output what was printed; leaves with " +
      "10 if it is not or other receipts of the task are missing, and with 11 if it cannot be " +
      "said here, as where the output was deleted",
    args: [["<receipt>", "id of the receipt, as atlas status shows it"]],
    options: [["--require-pass", "leave with 10 if its command failed"], TASK_OPTION],
    examples: [
      ["atlas hook verify-receipt rcpt-0a1b2c3d4e5f6071", "one receipt"],
      ["atlas hook verify-receipt rcpt-0a1b2c3d4e5f6071 --json", "for a program"],
    ],
    run: async ([receipt], given) =>
      (await import("./commands/verify-receipt.ts")).verifyReceiptCommand(receipt ?? "", given),
  },
  {
    name: "hook export",
    summary: "print all that is on record of a task",
    args: [TASK],
    options: [["--format <format>", "json, or md for HOOK.md (default: json)"]],
    printsDocument: true,
    examples: [
      ["atlas hook export --format json > hook-debug.json", "with all events, from the first"],
      ["atlas hook export --format md", "as an agent would read it"],
    ],
    run: async ([task], given) =>
      (await import("./commands/hook-export.ts")).hookExportCommand(task, given),
  },
  {
    name: "hook regenerate",
    summary: "write HOOK.md again from hook.json",
    args: [TASK],
    examples: [["atlas hook regenerate", "if HOOK.md was damaged"]],
    run: async ([task], given) =>
      (await import("./commands/hook-regenerate.ts")).hookRegenerateCommand(task, given),
  },
  {
    name: "hook acknowledge",
    summary: "note that you have seen that hook.json was changed",
    description:
      "note that you have seen that something other than atlas changed hook.json: it is shown no " +
      "more. The changed file is kept in the task's folder",
    args: [TASK],
    examples: [["atlas hook acknowledge", "the task of this folder"]],
    run: async ([task], given) =>
      (await import("./commands/hook-acknowledge.ts")).hookAcknowledgeCommand(task, given),
  },
  {
    name: "hook install",
    summary: "install the git hook that reports commits to the task",
    args: [TASK],
    settings: ["gitHooks"],
    examples: [
      ["atlas hook install", "into post-commit, if that can be done safely"],
      ["atlas hook install --git-hooks print", "only print the line for it"],
    ],
    run: async ([task], given) =>
      (await import("./commands/git-hook.ts")).hookInstallCommand(task, given),
  },
  {
    name: "hook uninstall",
    summary: "take the git hook out again",
    args: [TASK],
    examples: [["atlas hook uninstall", "others of the repository keep theirs"]],
    run: async ([task], given) =>
      (await import("./commands/git-hook.ts")).hookUninstallCommand(task, given),
  },
  {
    name: "doctor",
    group: GROUPS.care,
    summary: "check what a task needs, and what is kept of tasks",
    description:
      "check what a task needs before it starts: agents, git, disks, folders, limits; and the " +
      "keys, workspaces and tasks that are kept. Changes nothing; exits with 1 while there is a " +
      "problem, with 0 for warnings",
    examples: [
      ["atlas doctor", "in the repository of the task"],
      ["atlas doctor --json", "for a program"],
    ],
    run: async (_args, given) => (await import("./commands/doctor.ts")).doctorCommand(given),
  },
  {
    name: "prune",
    group: GROUPS.care,
    summary: "remove the hook files of tasks that ended long ago",
    description:
      "remove the hook files of tasks that ended long ago; an archive of each is kept. Active " +
      "tasks are never touched",
    options: [
      ["--older-than <time>", "however they ended: older than this, such as 7d"],
      ["--dry-run", "only say which"],
    ],
    examples: [
      ["atlas prune --dry-run", "what would be removed"],
      ["atlas prune", "completed 30 days ago, failed 14, abandoned 7"],
      ["atlas prune --older-than 7d", "all that ended over a week ago"],
    ],
    run: async (_args, given) => (await import("./commands/prune.ts")).pruneCommand(given),
  },
  {
    name: "cleanup",
    isUnlisted: true,
    summary: "remove the hook files of tasks that ended long ago: now atlas prune",
    options: [
      ["--hooks", "hook files: the only thing that is cleaned up so far"],
      ["--retention <time>", "however they ended: older than this, such as 7d"],
      ["--dry-run", "only say which"],
    ],
    examples: [["atlas cleanup --hooks --retention 7d --dry-run", "what would be removed"]],
    run: async (_args, given) => (await import("./commands/prune.ts")).cleanupCommand(given),
  },
  {
    name: "config",
    group: GROUPS.care,
    summary: "show each setting, and where it is set",
    description:
      "show each setting that a new task here would have, and where it is set: a variable of " +
      "the environment, .atlas/config.toml, your own file, or the default",
    examples: [
      ["atlas config", "all settings"],
      ["atlas config --json | jq .settings", "for a program"],
    ],
    run: async (_args, given) => (await import("./commands/config.ts")).configCommand(given),
  },
  {
    name: "workspace list",
    summary: "list the workspaces and their tasks",
    examples: [["atlas workspace list", "all that are kept"]],
    run: async (_args, given) =>
      (await import("./commands/workspace.ts")).workspaceListCommand(given),
  },
  {
    name: "workspace close",
    summary: "remove a workspace's work tree; branch and tasks stay",
    args: [["<name>", "of the workspace"]],
    options: [
      [
        "--force",
        "although a task is active or files are not committed: those are kept as a snapshot",
      ],
      ["--yes", "without asking"],
    ],
    examples: [["atlas workspace close fix-null-pointer", "the branch stays"]],
    run: async ([name], given) =>
      (await import("./commands/workspace.ts")).workspaceCloseCommand(name ?? "", given),
  },
  {
    name: "workspace destroy",
    summary: "remove a workspace with its work tree, branch and tasks",
    description:
      "remove a workspace with its work tree, branch and tasks. What is not committed and what " +
      "is merged nowhere stays in a file for git fetch, and an archive of each task",
    args: [["<name>", "of the workspace"]],
    options: [
      ["--force", "although a task is active"],
      ["--yes", "without asking"],
    ],
    examples: [["atlas workspace destroy my-workspace", "deletes hooks too"]],
    run: async ([name], given) =>
      (await import("./commands/workspace.ts")).workspaceDestroyCommand(name ?? "", given),
  },
  {
    name: "keys status",
    summary: "show which key signs, and which did before",
    examples: [["atlas keys status", "makes none"]],
    run: async (_args, given) => (await import("./commands/keys.ts")).keysStatusCommand(given),
  },
  {
    name: "keys init",
    summary: "make a key, also where the old one is lost",
    description:
      "make a key to sign receipts with. Where there was one that is lost, and no backup of it, " +
      "a new one takes its place: what the old one signed stays verifiable",
    examples: [["atlas keys init", "the first key, or a new one"]],
    run: async (_args, given) => (await import("./commands/keys.ts")).keysInitCommand(given),
  },
  {
    name: "keys rotate",
    summary: "sign with a new key from now on",
    examples: [["atlas keys rotate", "older receipts stay valid"]],
    run: async (_args, given) => (await import("./commands/keys.ts")).keysRotateCommand(given),
  },
  {
    name: "keys export",
    summary: "print the public keys, to verify elsewhere",
    options: [["--format <format>", "ssh, allowed-signers, pem or minisign (default: ssh)"]],
    examples: [["atlas keys export > atlas.pub", "for a CI to pin"]],
    run: async (_args, given) => (await import("./commands/keys.ts")).keysExportCommand(given),
  },
  {
    name: "keys backup",
    summary: "copy the private key to a safe place",
    description:
      "copy the private key to a safe place: whoever has it can sign in your name, and without " +
      "it no more receipts can be signed below it",
    args: [["<path>", "a new file, which only you can read"]],
    examples: [["atlas keys backup /media/stick/atlas.key", "never over a file that is there"]],
    run: async ([path], given) =>
      (await import("./commands/keys.ts")).keysBackupCommand(path ?? "", given),
  },
];

/** A task's way in a few lines. */
export const FIRST_EXAMPLES: readonly Described[] = [
  ['atlas start "fix null pointer in config" --template bugfix', "start"],
  ["atlas status", "see where it stands"],
  ["atlas resume", "resume after a crash or Ctrl-C"],
  ["atlas approve", "when it waits for your review"],
  ["atlas hook context", "what an agent reads"],
];

export const EXIT_CODES = `
Exit codes: 0 done, 1 error, 2 usage, 3 not approved, 4 budget used up,
  5 a person is needed outside atlas or has not said yes, 6 refused,
  7 damaged state, 8 nothing to resume, 9 waits for your decision,
  10 invalid receipt, 11 unverifiable receipt, 12 unsafe or missing key,
  75 usage limit; 129, 130 and 143 interrupted and saved
`;
