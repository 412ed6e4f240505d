import { join } from "node:path";
import { DurableError, readWholeFile } from "@quasar/durable";
import { TASK_FILES } from "@quasar/hookfile/internal";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { openTask } from "@quasar/tasks";
import { openHookStore } from "@quasar/tasks/operations";
import { result } from "../../shared/output/json.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { findMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import type { HookRegenerateLine } from "../schemas/hook.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** `atlas hook regenerate`: HOOK.md is again what hook.json says, whatever had become of it. */
export async function hookRegenerateCommand(
  id: string | undefined,
  given: Given,
): Promise<ExitCode> {
  const installation = openInstallation();
  const { dir } = await findMeant(installation, id);
  const path = join(dir, TASK_FILES.hookMd);
  const before = contentOf(path);
  const { hook } = await openTask(dir, installation);
  openHookStore(dir, installation).open();
  const isChanged = before === undefined || !before.equals(contentOf(path) ?? Buffer.of());
  if (given.json === true) {
    const line = { taskId: hook.taskId, path, isChanged };
    const printed = result("hook_regenerate", line, EXIT.ok) satisfies HookRegenerateLine;
    process.stdout.write(jsonLine(printed));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const what = isChanged ? "written again from hook.json" : "is what hook.json says";
  write(process.stdout, [
    ...labelled(view, "HOOK.md", what, isChanged ? "green" : undefined),
    ...labelled(view, "", cleanLine(path)),
  ]);
  return EXIT.ok;
}

/** `undefined` where there is none that can be read: it is written again. */
function contentOf(path: string): Buffer | undefined {
  try {
    return Buffer.from(readWholeFile(path, { maxBytes: MAX_BYTES }) ?? []);
  } catch (error) {
    if (error instanceof DurableError) return undefined;
    throw error;
  }
}
