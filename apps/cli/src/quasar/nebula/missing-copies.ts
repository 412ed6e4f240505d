import { existsSync } from "node:fs";
import { join } from "node:path";
import type { NebulaSpec } from "@quasar/nebula/spec";

/** The files that are to be copied into each work tree and are not in the user's. @param root - Of that. */
export function missingCopies({ execution }: NebulaSpec, root: string): readonly string[] {
  return execution.copy.filter((path) => !existsSync(join(root, path)));
}
