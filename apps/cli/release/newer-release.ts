import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Home } from "./home.ts";

/**
 * The tarballs of a release with a later version and the same content.
 *
 * @param to - Folder to put them in: made.
 * @returns the version
 */
export async function newerRelease(home: Home, release: string, to: string): Promise<string> {
  mkdirSync(to);
  let newer = "";
  for (const tarball of globSync(join(release, "*.tgz")).toSorted()) {
    await home.expect(`tar -xzf "${tarball}"`, {}, to);
    const path = join(to, "package/package.json");
    const manifest = JSON.parse(readFileSync(path, "utf8")) as { version: string };
    const [major = "", minor = ""] = manifest.version.split(".");
    newer = `${major}.${Number(minor) + 1}.0`;
    writeFileSync(path, JSON.stringify({ ...manifest, version: newer }));
    await home.expect("npm pack ./package", {}, to);
    rmSync(join(to, "package"), { recursive: true });
  }
  const names = globSync("*.tgz", { cwd: to }).map((name) => basename(name));
  if (names.length !== 2) throw new Error(`there are other tarballs than two: ${names.join(", ")}`);
  return newer;
}
