import { type Permission, PERMISSIONS, START_LIMITS, type StartLimits } from "@quasar/mcp/config";
import { cleanLine, fit } from "@quasar/runs/text";
import { type Kind, usd, whole } from "../../shared/config/kinds.ts";
import { CliError } from "../../shared/errors.ts";
import { numberOf } from "../../shared/typed-number.ts";

/** What may be typed of a server. */
export interface McpFlags {
  readonly allow?: readonly string[] | undefined;
  readonly budgetCap?: string | undefined;
  readonly maxRunning?: string | undefined;
  readonly maxPerHour?: string | undefined;
}

/** A server without a cap would let an agent spend all there is. */
const cap: Kind<number> = {
  ...usd,
  expected: "an amount in US dollars above 0",
  fromText: (text) => usd.fromText(text) || undefined,
};

/** What a server lets its callers do, and how much. @throws {CliError} `ERR_USAGE` */
export function mcpOptions({ allow = [], budgetCap, maxRunning, maxPerHour }: McpFlags): {
  readonly allowed: ReadonlySet<Permission>;
  readonly limits: StartLimits;
} {
  return {
    allowed: new Set(allow.flatMap((each) => each.split(",")).map(permissionOf)),
    limits: {
      capUsd: numberOf("--budget-cap", budgetCap, cap) ?? START_LIMITS.capUsd,
      mostAtOnce: numberOf("--max-running", maxRunning, whole(1, 64)) ?? START_LIMITS.mostAtOnce,
      mostPerHour:
        numberOf("--max-per-hour", maxPerHour, whole(1, 1000)) ?? START_LIMITS.mostPerHour,
    },
  };
}

function permissionOf(text: string): Permission {
  const found = PERMISSIONS.find((each) => each === text.trim());
  if (found !== undefined) return found;
  const message = `--allow must be ${PERMISSIONS.join(", ")}, not ${fit(cleanLine(text), 40)}`;
  throw new CliError("ERR_USAGE", message);
}
