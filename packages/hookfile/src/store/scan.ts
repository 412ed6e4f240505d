import { type DetectOptions, type Detection, detectAndRecover } from "../recovery/recovery.ts";
import { listTaskFolders, type TaskFolder } from "../removal/task-folders.ts";

/** What was found of one task of many. */
export interface ScannedTask extends TaskFolder {
  /** `failed`: it could not be read now. */
  readonly found: Detection | { readonly kind: "failed"; readonly error: unknown };
}

/**
 * Detects and recovers every task of a folder of workspaces, by name; one that fails hides no other.
 *
 * @throws the signal's reason.
 */
export async function scanTasks(
  workspacesDir: string,
  options: Omit<DetectOptions, "lock"> = {},
): Promise<readonly ScannedTask[]> {
  const scanned: ScannedTask[] = [];
  for (const folder of listTaskFolders(workspacesDir)) {
    try {
      scanned.push({ ...folder, found: await detectAndRecover(folder.dir, options) });
    } catch (error) {
      options.signal?.throwIfAborted();
      scanned.push({ ...folder, found: { kind: "failed", error } });
    }
  }
  return scanned;
}
