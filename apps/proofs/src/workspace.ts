import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Root of the workspace. */
export const root: string = fileURLToPath(new URL("../../../", import.meta.url));

/** A package that is published, as its `package.json` describes it. */
export interface PublishedPackage {
  readonly dir: string;
  readonly name: string;
  /** Specifiers that a user can import: `@quasar/checkpoint`, `@quasar/checkpoint/testing` … */
  readonly entries: readonly PublishedEntry[];
}

export interface PublishedEntry {
  readonly specifier: string;
  /** Its `.d.ts`. */
  readonly types: string;
  /** Where its public API is reported; those for this workspace alone have no report, because they are no user's. */
  readonly report: string;
  /** Whether it is for the packages of this workspace alone. */
  readonly isInternal: boolean;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** What only packages of this workspace share, in whichever package. */
const INTERNAL: ReadonlySet<string> = new Set([
  ...["./internal", "./landing", "./depot", "./port"],
  // What screens of this workspace are made from.
  ...["./facts", "./report", "./words"],
]);

/** Every folder of `packages`: what is there is published. */
export const packages: readonly PublishedPackage[] = readdirSync(`${root}packages`)
  .toSorted()
  .map((folder) => {
    const dir = `${root}packages/${folder}`;
    const manifest = JSON.parse(readFileSync(`${dir}/package.json`, "utf8")) as Manifest;
    const entries = Object.entries(manifest.exports).flatMap(([key, target]) =>
      typeof target === "string"
        ? []
        : [
            {
              specifier: manifest.name + key.slice(1),
              types: `${dir}/${target.types}`,
              report: `${dir}/etc/${folder}${key.slice(1).replace("/", ".")}.api.md`,
              isInternal: INTERNAL.has(key),
            },
          ],
    );
    return { dir, name: manifest.name, entries };
  });
