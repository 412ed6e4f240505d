import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadNebula } from "@quasar/nebula/spec";
import { cleanLine, count, jsonLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import type { SchemaLine } from "../../shared/schemas/schema.ts";
import { problemCount, problemLines } from "../nebula/problem-lines.ts";
import type { NebulaValidateLine } from "../schemas/nebula.ts";

export interface NebulaValidateOptions {
  readonly json?: true | undefined;
  readonly schema?: true | undefined;
  readonly strictConfig?: true | undefined;
}

/** `quasar nebula validate`: everything that is wrong with the files of a nebula, or what describes them. */
export function nebulaValidateCommand(
  dir: string | undefined,
  { json, schema, strictConfig }: NebulaValidateOptions,
): ExitCode {
  if (schema === true) return printSchema(json === true);
  if (dir === undefined) throw new CliError("ERR_USAGE", "no folder of a nebula is named");
  const loaded = loadNebula(dir, { isStrict: strictConfig === true });
  const { spec, problems } = loaded;
  const exit = spec === undefined ? EXIT.usage : EXIT.ok;
  const worst = problems.find(({ severity }) => severity === "error");
  const next =
    worst === undefined
      ? [`quasar nebula plan ${shellWord(dir)}`]
      : [`\${EDITOR:-vi} ${shellWord(join(dir, worst.file))}`];
  if (json === true) {
    const facts = {
      dir: loaded.dir,
      nebula: spec?.name ?? "",
      phaseIds: spec?.phases.map(({ id }) => id) ?? [],
      problems,
    };
    const line = result("nebula_validate", facts, exit, next) satisfies NebulaValidateLine;
    process.stdout.write(jsonLine(line));
    return exit;
  }
  const view = viewOf(process.stdout);
  const found = problemCount(problems);
  const head =
    spec === undefined
      ? `${cleanLine(dir)} is no valid nebula: ${found}`
      : `${cleanLine(spec.name)} is valid: ${[count(spec.phases.length, "phase"), found].filter(Boolean).join(", ")}`;
  write(process.stdout, [
    view.paint("bold", head),
    ...problemLines(problems, view),
    ...nextLines(next, view),
  ]);
  return exit;
}

function printSchema(json: boolean): ExitCode {
  // The build writes it beside what it makes of this file.
  const text = readFileSync(new URL("./schemas/nebula.json", import.meta.url), "utf8");
  const schema = JSON.parse(text) as SchemaLine["schema"];
  const line = result("schema", { name: "nebula", schema }, EXIT.ok) satisfies SchemaLine;
  process.stdout.write(json ? jsonLine(line) : text);
  return EXIT.ok;
}
