import { renderHookMd } from "@quasar/hookfile/hook-md";
import { jsonLine } from "@quasar/runs/text";
import { result } from "../../shared/output/json.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import type { Given } from "../command.ts";
import { openHere } from "../find.ts";
import { openInstallation } from "../installation.ts";
import { brokenBy } from "../output/chain-lines.ts";
import type { HookContextLine } from "../schemas/hook.ts";

/** `atlas hook context`: the HOOK.md that concerns this work tree, as it would be written now. */
export async function hookContextCommand(given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const { dir, hook, verdicts, chain, quarantined } = await openHere(installation);
  const { version } = installation;
  // What others wrote is made visible and fenced in by the renderer.
  const text = renderHookMd(hook, verdicts, {
    dir,
    version,
    receiptProblems: brokenBy(chain),
    quarantined,
  });
  const { taskId, state } = hook;
  const facts = { taskId, state, dir, text };
  const line = result("hook_context", facts, EXIT.ok) satisfies HookContextLine;
  process.stdout.write(given.json === true ? jsonLine(line) : text);
  return EXIT.ok;
}
