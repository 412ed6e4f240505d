import { realpathSync } from "node:fs";
import { join } from "node:path";
import { createRedactor } from "@quasar/agents/environment";
import { createKeyManager } from "@quasar/receipts";
import type { LookPorts } from "@quasar/tasks";
import { readVersion } from "../shared/version.ts";
import { atlasHome } from "./home.ts";

/** This installation of `atlas`, as far as looking at tasks needs it. Nothing is made. */
export interface Installation extends LookPorts {
  /** The folder that all tasks are below. */
  readonly workspacesDir: string;
}

export function openInstallation(): Installation {
  const { env } = process;
  const home = atlasHome(env);
  const now = (): Date => new Date();
  return {
    home,
    workspacesDir: join(home, "workspaces"),
    keys: createKeyManager({ dir: join(home, "keys"), now }),
    env,
    now,
    redact: createRedactor(env),
    version: readVersion(),
    atlas: [process.execPath, realpathSync(process.argv[1] ?? "")],
  };
}
