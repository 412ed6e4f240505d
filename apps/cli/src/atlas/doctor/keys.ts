import { shellWord } from "@quasar/runs/text";
import { type Finding, ok, problem } from "../../shared/doctor/finding.ts";
import { type KeyFacts, keyWords, waysWithoutKey } from "../key-facts.ts";

/** A file or folder of keys that others can reach. */
export interface OpenPath {
  readonly path: string;
  readonly mode: number;
  readonly isFolder: boolean;
}

/** Keys that others may have read. */
export function openKeyFindings(paths: readonly OpenPath[]): readonly Finding[] {
  return paths.map(({ path, mode, isFolder }) => {
    const message = `${path} is open to others (mode ${mode.toString(8)}): who has read a key can sign in your name`;
    const next = [
      `chmod ${isFolder ? 700 : 600} ${shellWord(path)}   # if nobody else can have read it`,
    ];
    return problem("keys", message, next);
  });
}

export function keyFinding(facts: KeyFacts, dir: string): Finding {
  const { hasKey, hasBackup, isMissing } = facts;
  const isNone = !hasKey && !hasBackup && !isMissing;
  const message = isNone
    ? "no private key yet: the first signing makes one"
    : `the private key ${keyWords(facts)}`;
  return isMissing ? problem("keys", message, waysWithoutKey(dir)) : ok("keys", message);
}
