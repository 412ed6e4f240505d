import { MANIFEST_FILE } from "./manifest.ts";
import type { NebulaSpec } from "./types.ts";

/** The keys that name a program, an agent, or a path to copy. */
export type TrustedKey = "setup" | "verify" | "checks" | "copy" | "coder" | "reviewer";

/** What a nebula names that runs, works or is copied as its user, and that therefore needs their yes. */
export interface TrustRequest {
  readonly key: TrustedKey;
  readonly value: string;
  /** The files that say so. */
  readonly files: readonly string[];
}

/** All that needs a yes before a nebula starts, each once: by key, in the order of the files. */
export function trustRequests(spec: NebulaSpec): readonly TrustRequest[] {
  const requests = new Map<string, { key: TrustedKey; value: string; files: string[] }>();
  const add = (file: string, key: TrustedKey, values: readonly (string | undefined)[]): void => {
    for (const value of values) {
      if (value === undefined) continue;
      const request = requests.get(`${key} ${value}`) ?? { key, value, files: [] };
      if (request.files.at(-1) !== file) request.files.push(file);
      requests.set(`${key} ${value}`, request);
    }
  };
  for (const key of KEYS) {
    add(MANIFEST_FILE, key, valuesOf(spec.execution, key));
    for (const phase of spec.phases) add(phase.file, key, valuesOf(phase, key));
  }
  return [...requests.values()];
}

const KEYS: readonly TrustedKey[] = ["setup", "copy", "checks", "verify", "coder", "reviewer"];

function valuesOf(
  of: Readonly<Partial<Record<TrustedKey, string | readonly string[] | undefined>>>,
  key: TrustedKey,
): readonly (string | undefined)[] {
  return [of[key]].flat();
}
