import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "./home.ts";
import { newerRelease } from "./newer-release.ts";

/**
 * Upgrades to a newer release, as the README says, and uninstalls, in a home where the first steps were taken.
 *
 * @param upgrade - What the README has typed for it, in the folder of the newer tarballs.
 * @returns What was seen, in a line.
 */
export async function upgraded(home: Home, upgrade: string, release: string): Promise<string> {
  const before = (await home.expect("quasar --version")).output.trim();
  const newer = join(home.dir, "newer");
  const version = await newerRelease(home, release, newer);
  await home.expect(upgrade, {}, newer);
  const { output } = await home.expect("quasar --version");
  if (!output.startsWith(`${version} `)) throw new Error(`it is still ${output.trim()}`);
  const repository = join(home.dir, "with-quasar");
  await home.expect("quasar show", { prints: /Write a greeting/u }, repository);
  return `${before} became ${output.trim()}, and shows the run of before`;
}

/** @param uninstall - What the README has typed for it. */
export async function uninstalled(home: Home, uninstall: string): Promise<string> {
  await home.expect(uninstall);
  const left = readdirSync(home.bin);
  if (left.length > 0) throw new Error(`commands are left: ${left.join(", ")}`);
  const state = [".local/state/quasar", ".atlas", "with-quasar/.git/quasar"];
  const gone = state.filter((path) => !existsSync(join(home.dir, path)));
  if (gone.length > 0) throw new Error(`it took away what runs have kept: ${gone.join(", ")}`);
  return "no command is left; what runs and tasks have kept is";
}
