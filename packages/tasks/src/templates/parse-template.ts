import { parse } from "smol-toml";
import * as v from "valibot";
import { TasksError } from "../errors.ts";
import { firstIssue } from "../first-issue.ts";
import { flag, oneOf } from "../schemas.ts";
import { namesIn } from "./placeholders.ts";
import { GIT_ACTIONS, STEP_DEFAULTS, STEP_RECOVERIES, STEP_TYPES } from "./step-kinds.ts";
import type { Template, TemplateStep } from "./template.ts";

const MAX_BYTES = 64 * 1024;

const word = v.pipe(
  v.string("a text"),
  v.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "1 to 40 of a-z 0-9 _ -, beginning with a letter or digit"),
);
const line = v.pipe(
  v.string("a text"),
  v.regex(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u, "one line of at most 200 characters"),
);
const prompt = v.pipe(
  v.string("a text"),
  v.maxBytes(16 * 1024, "a text of at most 16 KiB"),
  v.regex(/^(?:\P{Cc}|[\t\n\r])*$/u, "a text without control characters"),
);

const step = v.strictObject({
  name: word,
  type: oneOf(STEP_TYPES),
  description: v.optional(line),
  action: v.optional(oneOf(GIT_ACTIONS)),
  prompt: v.optional(prompt),
  access: v.optional(oneOf(["read", "write"])),
  max_attempts: v.optional(
    v.pipe(
      v.number("a whole number from 1 to 10"),
      v.integer("a whole number from 1 to 10"),
      v.minValue(1, "a whole number from 1 to 10"),
      v.maxValue(10, "a whole number from 1 to 10"),
    ),
  ),
  timeout_minutes: v.optional(
    v.pipe(
      v.number("a number of minutes above 0, at most 1440"),
      v.gtValue(0, "a number of minutes above 0, at most 1440"),
      v.maxValue(1440, "a number of minutes above 0, at most 1440"),
    ),
  ),
  recovery: v.optional(oneOf(STEP_RECOVERIES)),
  on_reject: v.optional(word),
});
type WrittenStep = v.InferOutput<typeof step>;

const name = v.pipe(
  v.string("a text"),
  v.regex(/^(?!description$)[a-z][a-z0-9_]{0,39}$/, "a name of a-z 0-9 _, other than description"),
);

const template = v.strictObject({
  id: word,
  aliases: v.optional(v.pipe(v.array(word, "a list"), v.maxLength(10, "a list of at most 10")), []),
  description: line,
  branch_prefix: word,
  here: v.optional(flag),
  variables: v.optional(
    v.record(
      name,
      v.strictObject({ description: line, default: v.optional(prompt) }, "a table"),
      "a table",
    ),
    {},
  ),
  steps: v.pipe(
    v.array(step, "a list"),
    v.minLength(1, "a list of at least one"),
    v.maxLength(50, "a list of at most 50"),
  ),
});

/**
 * Reads a template that somebody has written, in TOML. Keys are those of {@link Template} in snake_case,
 * but `timeout_minutes` of a step.
 *
 * @throws {TasksError} `ERR_TEMPLATE`, naming the key: `steps[2].name is not …`.
 * @see SPEC.md, "Templates"
 */
export function parseTemplate(toml: string): Template {
  const result = v.safeParse(template, parseToml(toml));
  if (!result.success) throw bad(firstIssue(result.issues));
  const { aliases, description, here, variables, ...written } = result.output;
  for (const [index, each] of written.steps.entries()) {
    checkStep(each, `steps[${index}]`, written.steps.slice(0, index));
    checkNames(each, `steps[${index}]`, new Set(["description", ...Object.keys(variables)]));
  }
  return {
    id: written.id,
    aliases,
    description,
    branchPrefix: written.branch_prefix,
    ...(here !== undefined && { here }),
    variables,
    steps: written.steps.map(stepOf),
  };
}

function parseToml(toml: string): unknown {
  if (Buffer.byteLength(toml) > MAX_BYTES) throw bad(`the file is larger than ${MAX_BYTES} bytes`);
  try {
    return parse(toml, { maxDepth: 8 });
  } catch (error) {
    const [reason = ""] = error instanceof Error ? error.message.split("\n") : [];
    throw bad(`the file is not valid TOML: ${reason}`, { cause: error });
  }
}

/** What no shape can say: which keys a type takes, and that names are of other steps. */
function checkStep(step: WrittenStep, at: string, before: readonly WrittenStep[]): void {
  const { name, type } = step;
  if (before.some((other) => other.name === name)) throw bad(`${at}.name is taken: ${name}`);
  if ((type === "git") !== (step.action !== undefined)) {
    const wanted = type === "git" ? "there, for a step of type git" : "for a step of this type";
    throw bad(`${at}.action is not ${wanted}`);
  }
  if (step.access !== undefined && type !== "ai") {
    throw bad(`${at}.access is not for a step of this type`);
  }
  if ((type === "ai" || type === "loop") && !step.prompt?.trim()) {
    throw bad(`${at}.prompt is not there, for a step of type ${type}`);
  }
  const target = step.on_reject;
  if (target !== undefined && ![...before, step].some((other) => other.name === target)) {
    throw bad(`${at}.on_reject is not the name of a step up to it`);
  }
}

function checkNames(step: WrittenStep, at: string, known: ReadonlySet<string>): void {
  for (const key of ["prompt", "description"] as const) {
    const unknown = namesIn(step[key] ?? "").find((name) => !known.has(name));
    if (unknown === undefined) continue;
    throw bad(`${at}.${key} names a variable that is not declared: ${JSON.stringify(unknown)}`);
  }
}

function stepOf(step: WrittenStep): TemplateStep {
  const { name, type, action, prompt: asked, access } = step;
  const defaults = STEP_DEFAULTS[type];
  return {
    name,
    type,
    description: step.description ?? name,
    ...(action !== undefined && { action }),
    ...(asked !== undefined && { prompt: asked }),
    ...(access !== undefined && { access }),
    maxAttempts: step.max_attempts ?? defaults.maxAttempts,
    ...(step.timeout_minutes !== undefined && {
      timeoutMs: Math.ceil(step.timeout_minutes * 60_000),
    }),
    recovery: step.recovery ?? defaults.recovery,
    ...(step.on_reject !== undefined && { onReject: step.on_reject }),
  };
}

function bad(message: string, options?: ErrorOptions): TasksError {
  return new TasksError("ERR_TEMPLATE", message, options);
}
