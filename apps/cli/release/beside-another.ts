import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "./home.ts";

/** Installs, in a new home, a package of somebody else that has the command `quasar`. */
export async function installAnother(home: Home): Promise<void> {
  const dir = join(home.dir, "another");
  mkdirSync(dir);
  const manifest = { name: "another", version: "1.0.0", bin: { quasar: "quasar.js" } };
  writeFileSync(join(dir, "package.json"), JSON.stringify(manifest));
  const program = "#!/usr/bin/env node\nconsole.log('another')\n";
  writeFileSync(join(dir, "quasar.js"), program, { mode: 0o755 });
  await home.expect("npm install -g ./another");
}

/**
 * Installs both tarballs where another package owns `quasar`, which npm refuses, and then as the README says.
 *
 * @param lines - What the README has typed there: the last names `quasar` in this shell.
 * @param release - Folder of the tarballs.
 * @returns What was seen, in a line.
 */
export async function besideAnother(home: Home, lines: string, release: string): Promise<string> {
  await installAnother(home);
  await home.expect("! npm install -g ./*.tgz", { prints: /EEXIST/u }, release);
  if (existsSync(join(home.bin, "atlas"))) throw new Error("a refused install has left a command");
  const own = { prints: /\n\d+\.\d+\.\d+ \(.*\)\n$/u };
  await home.expect(`${lines}\nquasar --version`, own, release);
  await home.expect("quasar", { prints: "another\n" });
  await home.expect("quasar-loop --help", { prints: /quasar run/u });
  return "npm refuses quasar-command (EEXIST); quasar-loop works, and quasar is still the other's";
}
