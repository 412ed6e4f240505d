import { homedir } from "node:os";
import { join } from "node:path";

/** Codex's own folder, by the environment that it is started with. */
export const codexHomeOf = (env: Readonly<Record<string, string | undefined>>): string =>
  env["CODEX_HOME"] ?? join(env["HOME"] ?? homedir(), ".codex");
