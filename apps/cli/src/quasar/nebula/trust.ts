import { type NebulaSpec, trustRequests } from "@quasar/nebula/spec";
import { requireTrust } from "../../shared/config/trust.ts";

/** Refuses a nebula that names programs or files which the user has not trusted. @throws {CliError} `ERR_UNTRUSTED_CONFIG` */
export function requireNebulaTrust(
  spec: NebulaSpec,
  {
    root,
    stateDir,
    trust,
  }: { readonly root: string; readonly stateDir: string; readonly trust: boolean },
): void {
  const guarded: Record<string, string[]> = {};
  for (const { key, value } of trustRequests(spec)) (guarded[key] ??= []).push(value);
  requireTrust({ path: `nebula ${spec.name}`, guarded, workTree: root, stateDir, trust });
}
