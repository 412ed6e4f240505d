import type { Template, TemplateStep } from "./template.ts";

const MINUTE = 60_000;

const validate: TemplateStep = {
  name: "validate",
  type: "validation",
  description: "Run the validation commands and sign what came of them",
  maxAttempts: 3,
  recovery: "retry",
};

const gitCommit: TemplateStep = {
  name: "git_commit",
  type: "git",
  action: "commit",
  description: "Commit the remaining changes",
  maxAttempts: 3,
  timeoutMs: 2 * MINUTE,
  recovery: "reconcile",
};

const gitPush: TemplateStep = {
  name: "git_push",
  type: "git",
  action: "push",
  description: "Push the branch",
  maxAttempts: 3,
  timeoutMs: 2 * MINUTE,
  recovery: "reconcile",
};

const gitPr: TemplateStep = {
  name: "git_pr",
  type: "git",
  action: "create_pr",
  description: "Open a pull request",
  maxAttempts: 3,
  timeoutMs: 2 * MINUTE,
  recovery: "reconcile",
};

const review: TemplateStep = {
  name: "review",
  type: "human",
  description: "A person looks at the change",
  prompt: "Is this what was asked for?\n\n{{description}}",
  maxAttempts: 1,
  recovery: "manual",
};

/** A loop of coder and reviewer that does the task's work. */
function loop(name: string, description: string, prompt: string): TemplateStep {
  return { name, type: "loop", description, prompt, maxAttempts: 3, recovery: "retry" };
}

/** One agent that looks and says; it changes nothing. */
function look(name: string, description: string, prompt: string): TemplateStep {
  return {
    name,
    type: "ai",
    access: "read",
    description,
    prompt,
    maxAttempts: 3,
    recovery: "retry",
  };
}

const bugfix: Template = {
  id: "bugfix",
  aliases: ["bug", "fix"],
  description: "Find the cause of a bug, fix it, validate, open a pull request",
  branchPrefix: "fix",
  variables: {},
  steps: [
    look(
      "analyze",
      "Find the cause",
      `Find the cause of this problem. Change no file.

{{description}}

Read the code that is concerned and follow it to where things go wrong. Then answer with:
1. the cause, with files and lines;
2. the smallest change that fixes it where it arises;
3. the test that would have caught it;
4. what else the change could break.`,
    ),
    loop(
      "implement",
      "Fix it",
      `Fix this problem where it arises, with the smallest change that does it.

{{description}}

Add a test that fails without your change and passes with it. Leave alone what the problem does not concern.`,
    ),
    validate,
    gitCommit,
    gitPush,
    gitPr,
    review,
  ],
};

const patch: Template = {
  id: "patch",
  aliases: ["hotfix"],
  description: "Fix something small and push it, without a pull request",
  branchPrefix: "patch",
  variables: {},
  steps: [
    loop(
      "fix",
      "Fix it",
      `Make this one change, and nothing else:

{{description}}

Keep it as small as it can be; add a test where it can have one.`,
    ),
    validate,
    gitCommit,
    gitPush,
  ],
};

const feature: Template = {
  id: "feature",
  aliases: [],
  description: "Specify, plan, build and verify something new, with a human gate at both ends",
  branchPrefix: "feat",
  variables: {},
  steps: [
    look(
      "specify",
      "Say what is to be built",
      `Write the specification of this feature. Change no file.

{{description}}

Look at the code that it will live in. Then answer with: what a user can do with it that they cannot do now;
what it must do, as statements that can each be checked; what it does not do; how it behaves where input is
wrong or things fail; what is not clear, with the reading that you would take.`,
    ),
    {
      name: "review_spec",
      type: "human",
      description: "A person looks at the specification",
      prompt: "Is this specification what you want built?\n\n{{description}}",
      maxAttempts: 1,
      recovery: "manual",
      onReject: "specify",
    },
    look(
      "plan",
      "Plan the work",
      `Plan how to build this feature as it was specified. Change no file.

{{description}}

Answer with the files to change or add and what goes into each, in the order of the work; the tests that show
each statement of the specification; what could go wrong.`,
    ),
    loop(
      "implement",
      "Build it",
      `Build this feature as it was specified and planned.

{{description}}

Each statement of the specification has a test that fails without it. Follow the ways of the code around.`,
    ),
    {
      name: "verify",
      type: "verify",
      description: "Another agent compares it with the specification",
      prompt: `Compare the change with what was asked for. Name each statement of the specification that the change
does not meet, each that no test shows, and whatever it breaks.

{{description}}`,
      maxAttempts: 2,
      recovery: "retry",
    },
    validate,
    gitCommit,
    gitPush,
    gitPr,
    {
      name: "ci_wait",
      type: "ci",
      description: "Wait for the pull request's checks",
      maxAttempts: 1,
      timeoutMs: 30 * MINUTE,
      recovery: "retry",
    },
    review,
  ],
};

const task: Template = {
  id: "task",
  aliases: [],
  description: "Do something, validate, open a pull request",
  branchPrefix: "task",
  variables: {},
  steps: [
    loop(
      "implement",
      "Do it",
      `{{description}}

Do what is asked, whole, and nothing else. Where behaviour changes, a test shows it.`,
    ),
    validate,
    gitCommit,
    gitPush,
    gitPr,
    review,
  ],
};

const commit: Template = {
  id: "commit",
  aliases: [],
  description: "Look through what is uncommitted here, commit it and push it",
  branchPrefix: "chore",
  here: true,
  variables: {},
  steps: [
    look(
      "analyze_changes",
      "Look through what is uncommitted",
      `Look through everything that is uncommitted in this work tree (git status, git diff). Change no file.

{{description}}

Say first, in one line, what the change does. Then name whatever should not be committed: secrets, build
output, debugging left-overs, files that belong elsewhere.`,
    ),
    gitCommit,
    gitPush,
  ],
};

/** The templates that there always are. */
export const BUILT_IN_TEMPLATES: readonly Template[] = [bugfix, patch, feature, task, commit];
