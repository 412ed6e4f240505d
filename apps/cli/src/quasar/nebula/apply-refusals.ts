import type { EngineLimits, NebulaState } from "@quasar/nebula";
import { resumeCommand } from "@quasar/nebula/internal";
import type { NebulaSpec, PhaseSpec } from "@quasar/nebula/spec";
import { cleanLine, count, shellWord } from "@quasar/runs/text";
import { join } from "node:path";
import { CliError } from "../../shared/errors.ts";
import type { NebulaApplyOptions } from "./apply-options.ts";

/** Refuses a flag that would change nothing. @throws {CliError} `ERR_USAGE` */
export function refuseIdleFlags(
  { phases, execution }: NebulaSpec,
  { dir, resumed }: { readonly dir: string; readonly resumed: NebulaState | undefined },
  { flags, base, branch }: NebulaApplyOptions,
): void {
  if (resumed !== undefined) {
    const flag = [base !== undefined && "--base", branch !== undefined && "--branch"].find(Boolean);
    if (flag !== undefined) {
      const message = `${flag} has no effect on a nebula that has begun: ${cleanLine(resumed.branch)} began at ${resumed.base.slice(0, 10)}`;
      throw new CliError("ERR_USAGE", message, { next: [resumeCommand(resumed)] });
    }
  }
  const isLimited = ({ maxBudgetUsd = execution.maxBudgetUsd }: PhaseSpec): boolean =>
    maxBudgetUsd !== undefined;
  if (flags.maxBudgetUsd === undefined || !phases.every(isLimited)) return;
  const [file, update] = [
    shellWord(join(dir, "nebula.toml")),
    `quasar nebula update ${shellWord(dir)}`,
  ];
  const message = "--max-budget has no effect: each phase has max_budget_usd in its files";
  throw new CliError("ERR_USAGE", message, {
    next: [
      `\${EDITOR:-vi} ${file}   # change max_budget_usd`,
      ...(resumed === undefined ? [] : [update]),
    ],
  });
}

/** Nothing begins by itself. @param left - How many phases would be worked on. */
export function withoutAuto(left: number, named: string, { resume }: NebulaApplyOptions): CliError {
  const message = `${count(left, "phase")} would be worked on; without --auto nothing begins`;
  return new CliError("ERR_USAGE", message, {
    next: [
      `quasar nebula apply ${shellWord(named)} --auto${resume === true ? " --resume" : ""}`,
      `quasar nebula plan ${shellWord(named)}`,
    ],
  });
}

/** Where nobody is asked it has to be said how much may be spent. */
export function withoutTotal(
  { totalUsd }: EngineLimits,
  named: string,
  { resume }: NebulaApplyOptions,
): CliError {
  const message = "--no-input needs a total budget: nobody is asked before more is spent";
  const how = resume === true ? "--auto --resume --no-input" : "--auto --no-input";
  // Without a limit of each phase there is no sum to name.
  const total = totalUsd === 0 ? "USD" : String(totalUsd);
  return new CliError("ERR_USAGE", message, {
    next: [`quasar nebula apply ${shellWord(named)} ${how} --total-budget ${total}`],
  });
}
