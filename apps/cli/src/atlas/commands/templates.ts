import { cleanLine, jsonLine } from "@quasar/runs/text";
import { listTemplates, resolveTemplate, type Template } from "@quasar/tasks/templates";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { loadConfig, loadTemplates } from "../config/load.ts";
import { templateFacts } from "../facts/task.ts";
import { openInstallation } from "../installation.ts";
import { rootOf } from "../root.ts";
import type { TemplatesLine } from "../schemas/others.ts";

/** `atlas templates`: which steps a task can go through. */
export async function templatesCommand(name: string | undefined, given: Given): Promise<ExitCode> {
  const { env, home } = openInstallation();
  const root = await rootOf(process.cwd());
  const options = { flags: {}, env, cwd: process.cwd(), root, home };
  const { settings } = loadConfig({ ...options, trust: given.trustConfig === true });
  const custom = loadTemplates(settings);
  const templates = name === undefined ? listTemplates(custom) : [resolveTemplate(name, custom)];
  const next = nextSteps(name === undefined ? undefined : templates[0]);
  if (given.json === true) {
    const line = result(
      "templates",
      { templates: templates.map(templateFacts) },
      EXIT.ok,
      next,
    ) satisfies TemplatesLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const own = new Set(custom.map(({ id }) => id));
  write(
    process.stdout,
    name === undefined
      ? listLines(templates, own, view)
      : templates.flatMap((template) => templateLines(template, view)),
  );
  write(process.stdout, nextLines(next, view));
  return EXIT.ok;
}

/** @param template - The one that was named. */
function nextSteps(template: Template | undefined): readonly string[] {
  if (template !== undefined) return [`atlas start "…" --template ${cleanLine(template.id)}`];
  return ['atlas start "…" --template <name>', "atlas templates <name>"];
}

function listLines(templates: readonly Template[], own: ReadonlySet<string>, view: View): string[] {
  const lines = templates.flatMap((template) => {
    const { id, aliases, description, steps } = template;
    const also = aliases.length === 0 ? "" : ` (or ${aliases.join(", ")})`;
    const whose = own.has(id) ? ", of your own" : "";
    return [
      view.paint("bold", cleanLine(id + also + whose)),
      ...labelled(view, "", cleanLine(description)),
      ...labelled(view, "steps", cleanLine(steps.map(({ name }) => name).join(" → "))),
    ];
  });
  return lines;
}

const HEAD = ["step", "type", "tries", "after a crash", "what"];

function templateLines(template: Template, view: View): string[] {
  const { id, aliases, description, branchPrefix, steps, variables } = template;
  const rows = steps.map((step) => {
    const { name, maxAttempts, recovery } = step;
    return [
      name,
      typeText(step),
      String(maxAttempts),
      RECOVERIES[recovery],
      cleanLine(step.description),
    ];
  });
  const vars = Object.entries(variables).map(([name, variable]) => {
    const given =
      variable.default === undefined ? "has to be given" : `default: ${variable.default}`;
    return `--var ${name}=…   ${variable.description} (${given})`;
  });
  return [
    view.paint("bold", cleanLine(id)),
    ...labelled(view, "", cleanLine(description)),
    ...(aliases.length === 0 ? [] : labelled(view, "also", cleanLine(aliases.join(", ")))),
    ...labelled(view, "branch", cleanLine(`${branchPrefix}/<workspace>`)),
    ...vars.flatMap((text, n) => labelled(view, n === 0 ? "variables" : "", cleanLine(text))),
    "",
    ...tableLines(
      HEAD,
      rows,
      HEAD.map(() => "left" as const),
      view,
    ),
  ];
}

type Step = Template["steps"][number];

function typeText({ type, action }: Step): string {
  return action === undefined ? type : `${type} ${action}`;
}

const RECOVERIES: Readonly<Record<Step["recovery"], string>> = {
  retry: "continues",
  reconcile: "looks first",
  manual: "asks you",
};
