import { acknowledgeQuarantine } from "@quasar/hookfile/recovery";
import { jsonLine, count } from "@quasar/runs/text";
import { openHookStore } from "@quasar/tasks/operations";
import { result } from "../../shared/output/json.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import type { HookAcknowledgeLine } from "../schemas/hook.ts";

/** `atlas hook acknowledge`: a person has seen that hook.json was changed; the changed files stay. */
export async function hookAcknowledgeCommand(
  id: string | undefined,
  { json }: Given,
): Promise<ExitCode> {
  const installation = openInstallation();
  const { dir, hook } = await openMeant(installation, id);
  const acknowledged = acknowledgeQuarantine(dir);
  openHookStore(dir, installation).open();
  if (json === true) {
    const line = { taskId: hook.taskId, acknowledged };
    const printed = result("hook_acknowledge", line, EXIT.ok) satisfies HookAcknowledgeLine;
    process.stdout.write(jsonLine(printed));
    return EXIT.ok;
  }
  const what =
    acknowledged.length === 0
      ? "nothing to acknowledge"
      : `${count(acknowledged.length, "changed hook file")}, kept in ${dir}/quarantine`;
  write(process.stdout, labelled(viewOf(process.stdout), "seen", what));
  return EXIT.ok;
}
