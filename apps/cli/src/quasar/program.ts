import { Command } from "@commander-js/extra-typings";
import {
  attributeOf,
  configured,
  type Described,
  examplesText,
  runProgram,
  settingOption,
} from "../shared/command-line.ts";
import type { FlagValues } from "../shared/config/layers.ts";
import { SETTING_NAMES, SETTINGS } from "../shared/config/settings.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { typedIn } from "../shared/typed.ts";

/**
 * Runs the command that the arguments name and sets the process's exit code.
 *
 * @param args - Arguments without the program's own path.
 * @param version - Of the command.
 */
export function main(args: readonly string[], version: string): Promise<void> {
  return runProgram((done) => createProgram(version, done), args);
}

/** How the commands are grouped in the help. */
const GROUPS = {
  begin: "To begin with:",
  work: "Work on a task:",
  look: "Look at runs:",
  care: "Take care of what is kept:",
} as const;

const JSON_HELP = "machine-readable output on standard output";

function createProgram(version: string, done: (code: ExitCode) => void): Command {
  const program = configured(
    new Command("quasar").description(
      "Runs a coding agent and a reviewer in turns until the task is approved,\n" +
        "and goes on exactly where it stopped after any crash.",
    ),
    version,
    GROUPS.begin,
  );
  program.addHelpText("after", OVERVIEW);

  const run = program
    .command("run")
    .helpGroup(GROUPS.work)
    .description("work on a task until a reviewer approves it")
    .argument("[task]", "what to do, in words; - reads it from standard input")
    .option("-f, --file <path>", "read the task from a file")
    .option("--accept-dirty", "start on a dirty tree; those files are never committed by quasar")
    .option("--worktree", "work in a new git worktree, on a branch of its own")
    .option("--new", "start although another run of this tree is unfinished")
    .option("--trust-config", "let .quasar/config.toml run programs and raise the budget")
    .option("--json", JSON_HELP);
  addSettings(run)
    .addHelpText("after", examplesText(RUN_EXAMPLES))
    .action(async (task, options) => {
      const { runCommand } = await import("./commands/work-commands.ts");
      done(await runCommand(task, { ...options, flags: flagsOf(options) }));
    });

  const resume = program
    .command("resume")
    .helpGroup(GROUPS.work)
    .description("go on with a run that was interrupted")
    .argument("[run]", "id of the run; the newest unfinished one if left out")
    .option("--accept-head", "go on although HEAD is not where the run left it")
    .option("--accept-branch", "go on although HEAD is on another branch")
    .option("--accept-dirty", "leave what you changed alone; it is never committed by quasar")
    .option("--trust", "go on with a checkpoint that this machine did not write")
    .option("--force", "all of the above")
    .option("--now", "ask the agent at once, whatever usage limit or retry is waited for")
    .option("--trust-config", "let .quasar/config.toml run programs and raise the budget")
    .option("--plan", "say what would happen and what it may cost, and change nothing")
    .option("--json", JSON_HELP);
  addSettings(resume)
    .addHelpText("after", examplesText(RESUME_EXAMPLES))
    .action(async (id, options, command) => {
      const typed = typedIn(command, "quasar resume");
      const given = { ...options, flags: flagsOf(options), typed };
      if (options.plan === true) {
        const { planCommand } = await import("./commands/work-commands.ts");
        return done(await planCommand(id, given));
      }
      const { openWorkspace } = await import("../shared/workspace.ts");
      const workspace = openWorkspace(process.cwd());
      // Git answers while the rest is loaded, which waits for it, and tells of it if it fails.
      workspace.catch(() => undefined);
      const { resumeCommand } = await import("./commands/work-commands.ts");
      done(await resumeCommand(id, given, workspace));
    });

  program
    .command("fork")
    .helpGroup(GROUPS.work)
    .summary("start a new run from a checkpoint of another one")
    .description(
      "start a new run from a checkpoint of another one, in a work tree of its own:\n" +
        "with its commits and findings, without what it had not committed, and with a\n" +
        "budget that is counted anew",
    )
    .argument("<run>", "id of the run to go on from")
    .option("--at <cycle>", "as it was when this cycle had ended; as it stands if left out")
    .option("--trust", "take a checkpoint that this machine did not write")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(FORK_EXAMPLES))
    .action(async (id, options) => {
      const { forkCommand } = await import("./commands/work-commands.ts");
      done(await forkCommand(id, options));
    });

  program
    .command("status")
    .helpGroup(GROUPS.look)
    .summary("show where the newest runs stand, and what is next")
    .description("show the runs of this work tree, and what to type next")
    .argument("[run]", "id of a run; the newest ones if left out")
    .option("--all", "every run that is kept, not only the newest")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(STATUS_EXAMPLES))
    .action(async (id, options) => {
      const { statusCommand } = await import("./commands/care-commands.ts");
      done(await statusCommand(id, options));
    });

  program
    .command("ls")
    .helpGroup(GROUPS.look)
    .description("list the runs of this work tree, a line each")
    .option("--all", "every run that is kept, not only the newest")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(LS_EXAMPLES))
    .action(async (options) => {
      const { lsCommand } = await import("./commands/care-commands.ts");
      done(await lsCommand(options));
    });

  program
    .command("show")
    .helpGroup(GROUPS.look)
    .summary("show all of one run")
    .description("show all of one run: its turns, commits, findings, and where its files are")
    .argument("[run]", "id of a run; the newest if left out")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(SHOW_EXAMPLES))
    .action(async (id, options) => {
      const { showCommand } = await import("./commands/care-commands.ts");
      done(await showCommand(id, options));
    });

  program
    .command("log")
    .helpGroup(GROUPS.look)
    .description("show what a run has gone through")
    .argument("[run]", "id of a run; the newest if left out")
    .option("-f, --follow", "go on as it happens, until the run ends")
    .option("--json", "the journal's facts, a line each")
    .addHelpText("after", examplesText(LOG_EXAMPLES))
    .action(async (id, options) => {
      const { logCommand } = await import("./commands/care-commands.ts");
      done(await logCommand(id, options));
    });

  program
    .command("cost")
    .helpGroup(GROUPS.look)
    .summary("show what each turn of a run has cost")
    .description("show what each turn of a run has cost, and what counts against its limit")
    .argument("[run]", "id of a run; the newest if left out")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(COST_EXAMPLES))
    .action(async (id, options) => {
      const { costCommand } = await import("./commands/care-commands.ts");
      done(await costCommand(id, options));
    });

  program
    .command("snapshots")
    .helpGroup(GROUPS.care)
    .summary("list uncommitted work that was kept")
    .description("list uncommitted work of a run that was kept before something replaced it")
    .argument("[run]", "id of a run; the newest if left out")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(SNAPSHOTS_EXAMPLES))
    .action(async (id, options) => {
      const { snapshotsCommand } = await import("./commands/care-commands.ts");
      done(await snapshotsCommand(id, options));
    });

  program
    .command("restore")
    .helpGroup(GROUPS.care)
    .summary("bring a snapshot back")
    .description("make the files what a snapshot holds; what they were is kept in a new one")
    .argument("<n>", "number of the snapshot")
    .option("--run <run>", "id of a run; the newest if left out")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(RESTORE_EXAMPLES))
    .action(async (n, options) => {
      const { restoreCommand } = await import("./commands/care-commands.ts");
      done(await restoreCommand(n, options));
    });

  program
    .command("abandon")
    .helpGroup(GROUPS.work)
    .summary("give a run up, and end its agents")
    .description("give a run up: its agents are ended, and nothing goes on with it")
    .argument("<run>", "id of the run")
    .option("--yes", "end an agent that still works, without asking")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(ABANDON_EXAMPLES))
    .action(async (id, options) => {
      const { abandonCommand } = await import("./commands/care-commands.ts");
      done(await abandonCommand(id, options));
    });

  program
    .command("prune")
    .helpGroup(GROUPS.care)
    .summary("remove what is kept of runs that have ended")
    .description("remove what is kept of runs that have ended: files and snapshots")
    .argument("[run]", "id of a run, of whatever age; those of that age if left out")
    .option("--older-than <time>", "leave younger ones alone", "30d")
    .option("--stopped", "those, too, that have not ended and could be resumed")
    .option("--dry-run", "only say which")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(PRUNE_EXAMPLES))
    .action(async (id, options) => {
      const { pruneCommand } = await import("./commands/care-commands.ts");
      done(await pruneCommand(id, options));
    });

  program
    .command("doctor")
    .helpGroup(GROUPS.care)
    .summary("look for what crashes have left, and mend it")
    .description(
      "look for what crashes have left, and mend it if told to; leaves with 1 while\n" +
        "something is wrong",
    )
    .option("--fix", "mend what can be mended without losing anything")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(DOCTOR_EXAMPLES))
    .action(async (options) => {
      const { doctorCommand } = await import("./commands/care-commands.ts");
      done(await doctorCommand(options));
    });

  program
    .command("init")
    .helpGroup(GROUPS.begin)
    .summary("find the project's checks and agents, and write .quasar/config.toml")
    .description(
      "find the project's checks and the agents that are here, ask whether to use them, and\n" +
        "write .quasar/config.toml; what you confirm runs without being asked again",
    )
    .option("--yes", "use what is found, without asking")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(INIT_EXAMPLES))
    .action(async (options) => {
      const { initCommand } = await import("./commands/care-commands.ts");
      done(await initCommand(options));
    });

  program
    .command("demo")
    .helpGroup(GROUPS.begin)
    .summary("see a run fail, be killed and go on")
    .description("see a run fail, be killed and go on: no agent, no key, no network")
    .option("--keep", "keep the demo's folder to look around in")
    .option("--json", JSON_HELP)
    .addHelpText("after", examplesText(DEMO_EXAMPLES))
    .action(async (options) => {
      const { demoCommand } = await import("./commands/demo.ts");
      done(await demoCommand(options));
    });

  return program;
}

/** Adds a flag for each setting: those of a run can be changed again when it is resumed. */
function addSettings<Args extends unknown[], Opts extends Record<string, unknown>>(
  command: Command<Args, Opts>,
): Command<Args, Opts> {
  command.optionsGroup("Settings, also of .quasar/config.toml and QUASAR_*:");
  for (const name of FLAGGED) command.addOption(settingOption(SETTINGS[name]));
  return command;
}

const FLAGGED = SETTING_NAMES.filter((name) => SETTINGS[name].flag !== undefined);

/** The settings among a command's options. */
function flagsOf(options: Readonly<Record<string, unknown>>): FlagValues {
  const entries = FLAGGED.map((name) => [name, options[attributeOf(SETTINGS[name])]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as FlagValues;
}

const RUN_EXAMPLES: readonly Described[] = [
  ['quasar run "Add a --dry-run flag"', "claude writes, claude reviews"],
  ["quasar run -f task.md --coder codex", "codex writes"],
  ["quasar run - < task.md", "the task from standard input"],
  ['quasar run "…" --filter "npm test"', "no review before the tests pass"],
  ['quasar run "…" --worktree', "your own files stay as they are"],
];

const RESUME_EXAMPLES: readonly Described[] = [
  ["quasar resume", "the newest unfinished run"],
  ["quasar resume 20261121-101500-7f3a9c", "this one"],
  ["quasar resume --max-cycles 5", "with more cycles than before"],
  ["quasar resume --plan", "what would happen, and nothing else"],
  ["quasar resume --wait-limit 6h", "and wait for a usage limit"],
];

const STATUS_EXAMPLES: readonly Described[] = [
  ["quasar status", "the newest runs of this work tree"],
  ["quasar status 20261121-101500-7f3a9c", "one run in full"],
  ["quasar status --json", "for a program"],
];

const FORK_EXAMPLES: readonly Described[] = [
  ["quasar fork 20261121-101500-7f3a9c", "another way on from where it stands"],
  ["quasar fork 20261121-101500-7f3a9c --at 1", "from the end of its first cycle"],
];

const LS_EXAMPLES: readonly Described[] = [
  ["quasar ls", "the newest runs"],
  ["quasar ls --all --json", "all of them, for a program"],
];

const SHOW_EXAMPLES: readonly Described[] = [
  ["quasar show", "all of the newest run"],
  ["quasar show 20261121-101500-7f3a9c", "all of this one"],
  ["quasar show --json | jq .turns", "for a program"],
];

const LOG_EXAMPLES: readonly Described[] = [
  ["quasar log", "the newest run"],
  ["quasar log -f", "as it happens, in another terminal"],
  ["quasar log --json | jq .type", "for a program"],
];

const COST_EXAMPLES: readonly Described[] = [
  ["quasar cost", "the newest run"],
  ["quasar cost 20261121-101500-7f3a9c --json", "this one, for a program"],
];

const SNAPSHOTS_EXAMPLES: readonly Described[] = [
  ["quasar snapshots", "of the newest run"],
  ["quasar snapshots 20261121-101500-7f3a9c", "of this one"],
];

const RESTORE_EXAMPLES: readonly Described[] = [
  ["quasar snapshots", "see which there are"],
  ["quasar restore 2", "bring the second back"],
  ["quasar restore 2 --run 20261121-101500-7f3a9c", "of this run"],
];

const ABANDON_EXAMPLES: readonly Described[] = [
  ["quasar abandon 20261121-101500-7f3a9c", "its commits and files stay"],
  ["quasar abandon 20261121-101500-7f3a9c --yes", "even if its agent still works"],
];

const PRUNE_EXAMPLES: readonly Described[] = [
  ["quasar prune --dry-run", "which runs ended over 30 days ago"],
  ["quasar prune --older-than 7d", "remove those of over a week ago"],
  ["quasar prune 20261121-101500-7f3a9c", "remove this one, however young"],
  ["quasar prune --stopped --older-than 90d", "those that nobody has resumed, too"],
];

const DOCTOR_EXAMPLES: readonly Described[] = [
  ["quasar doctor", "look, and change nothing"],
  ["quasar doctor --fix", "mend what loses nothing"],
];

const INIT_EXAMPLES: readonly Described[] = [["quasar init", "then edit .quasar/config.toml"]];

const DEMO_EXAMPLES: readonly Described[] = [
  ["quasar demo", "about ten seconds"],
  ["quasar demo --keep", "and look at its repository afterwards"],
];

const OVERVIEW = `
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
