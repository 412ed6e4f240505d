import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What Codex 0.169.0 asks where no model is named. */
const DEFAULT_MODEL = "gpt-6.1-sol";

/** The model that Codex is going to ask, as far as that can be told before it says so. */
export function codexModel(named: string | undefined, home: string): string {
  return named ?? configured(home) ?? DEFAULT_MODEL;
}

/** What the user's configuration of Codex says at its top. */
function configured(home: string): string | undefined {
  try {
    const [top = ""] = readFileSync(join(home, "config.toml"), "utf8").split(/^\s*\[/mu);
    return /^\s*model\s*=\s*["']([^"'\n]+)["']/mu.exec(top)?.[1];
  } catch {
    return undefined; // Codex itself says what is wrong with it
  }
}
