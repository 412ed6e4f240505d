import type { LoadedNebula, NebulaSpec } from "@quasar/nebula/spec";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { problemCount } from "./problem-lines.ts";

/** What a nebula's folder says. @param named - The folder as it was typed. @throws {CliError} `ERR_NEBULA` */
export function validSpec(loaded: LoadedNebula | undefined, named: string): NebulaSpec {
  if (loaded?.spec !== undefined) return loaded.spec;
  const found = problemCount(loaded?.problems ?? []);
  throw new CliError("ERR_NEBULA", `${cleanLine(named)} is no valid nebula: ${found}`, {
    next: [`quasar nebula validate ${shellWord(named)}`],
  });
}
