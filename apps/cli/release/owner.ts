import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a package's manifest says of its owner, as npm's `package.json` has it. */
export interface Owner {
  readonly repository: string;
  readonly homepage: string;
  readonly bugs: string;
}

/**
 * Whose release it is: what `owner.json` at the root of the repository says.
 *
 * @returns nothing where that file is not there: nobody's release names nobody.
 * @throws {Error} where it is there and does not say all of it.
 */
export function ownerOf(root: string): Partial<Owner> {
  const path = join(root, "owner.json");
  if (!existsSync(path)) return {};
  const told = JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, unknown>>;
  const fact = (name: keyof Owner): string => {
    const value = told[name];
    if (typeof value === "string" && value !== "") return value;
    throw new Error(`owner.json does not say "${name}"`);
  };
  return { repository: fact("repository"), homepage: fact("homepage"), bugs: fact("bugs") };
}
