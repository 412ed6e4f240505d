import { currentGitSha, currentHead, dirtyPaths } from "@quasar/git";
import { filesAt } from "@quasar/git/internal";
import { branchOf } from "@quasar/nebula/internal";
import { planNebula } from "@quasar/nebula/plan";
import { loadNebula, type NebulaSpec, type TrustRequest } from "@quasar/nebula/spec";
import type { Workspace } from "@quasar/runs";
import { cleanLine, jsonLine, shellWord } from "@quasar/runs/text";
import { readSpec } from "../../shared/config/agent-spec.ts";
import type { OwnAgents } from "../../shared/config/own-agents.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { section } from "../../shared/output/section.ts";
import { nextLines } from "../../shared/output/text.ts";
import { type NebulaBase, nebulaPlanFacts } from "../facts/nebula.ts";
import { planLines } from "../nebula/plan-lines.ts";
import { workspaceOfNebula } from "../nebula/repository.ts";
import { settingsIn, userSettings } from "../nebula/user-settings.ts";
import { validSpec } from "../nebula/valid-spec.ts";
import type { NebulaPlanLine } from "../schemas/nebula.ts";

/** `quasar nebula plan`: what working on a nebula would mean. It changes nothing, and asks for no yes. */
export async function nebulaPlanCommand(
  dir: string,
  { json }: { readonly json?: true | undefined },
): Promise<ExitCode> {
  const loaded = loadNebula(dir);
  const { problems } = loaded;
  const spec = validSpec(loaded, dir);
  const workspace = await workspaceOfNebula(loaded.dir, process.cwd());
  const base = await baseOf(workspace, spec);
  const files = await filesAt(workspace.root, base.baseSha, [".gitmodules"]);
  const settings = settingsIn(workspace);
  const plan = planNebula(spec, { user: userSettings(settings), hasSubmodules: files.size > 0 });
  requireAgents(plan.asks, settings.ownAgents);
  const next = plan.phases.length === 0 ? [] : [`quasar nebula apply ${shellWord(dir)} --auto`];
  if (json === true) {
    const facts = nebulaPlanFacts(loaded, spec, plan, base);
    const line = result("nebula_plan", facts, EXIT.ok, next) satisfies NebulaPlanLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...planLines(spec, plan, base, problems, view),
    ...section(nextLines(next, view)),
  ]);
  return EXIT.ok;
}

async function baseOf({ root }: Workspace, { name }: NebulaSpec): Promise<NebulaBase> {
  const { head, branch: baseBranch } = await currentHead(root);
  // Without a commit there is nothing to begin at, which the other call says.
  const baseSha = head === "" ? await currentGitSha(root) : head;
  const uncommittedCount = (await dirtyPaths(root)).length;
  return { baseSha, baseBranch, branch: branchOf(name), uncommittedCount };
}

/** Refuses a name that is no agent's here. @throws {CliError} `ERR_NEBULA` */
function requireAgents(asks: readonly TrustRequest[], own: OwnAgents): void {
  for (const { key, value, files } of asks) {
    const isAgent = key === "coder" || key === "reviewer";
    if (!isAgent || readSpec(value, own) !== undefined) continue;
    const message = `${cleanLine(files[0] ?? "")}: ${key}: there is no agent "${cleanLine(value)}" here`;
    throw new CliError("ERR_NEBULA", message, { next: ["quasar agents"] });
  }
}
