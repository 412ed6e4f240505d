import { type NebulaSpec, trustRequests } from "@quasar/nebula/spec";
import { loadTrusted, requireTrust } from "../../shared/config/trust.ts";

export interface NebulaTrustOptions {
  /** The user's work tree. */
  readonly root: string;
  readonly stateDir: string;
  readonly trust: boolean;
}

/** Refuses a nebula that names programs or files which the user has not trusted. @throws {CliError} `ERR_UNTRUSTED_CONFIG` */
export function requireNebulaTrust(
  spec: NebulaSpec,
  { root, stateDir, trust }: NebulaTrustOptions,
): void {
  const guarded: Record<string, string[]> = {};
  for (const { key, value } of trustRequests(spec)) (guarded[key] ??= []).push(value);
  requireTrust({
    path: `nebula ${spec.name}`,
    guarded,
    copies: ["copy"],
    workTree: root,
    stateDir,
    trust,
  });
}

/** The same, and asks for the user's yes where somebody is there to ask. @throws {CliError} `ERR_UNTRUSTED_CONFIG` for a no */
export function askNebulaTrust(
  spec: NebulaSpec,
  { trust, ...where }: NebulaTrustOptions,
): Promise<void> {
  return loadTrusted(trust, (isTrusted) =>
    requireNebulaTrust(spec, { ...where, trust: isTrusted }),
  );
}
