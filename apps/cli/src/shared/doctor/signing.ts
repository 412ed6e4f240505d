import type { CommitSetup } from "@quasar/git/setup";
import { type Finding, ok, problem, unknown } from "./finding.ts";

export interface SigningFacts extends NonNullable<CommitSetup["signing"]> {
  readonly hasProgram: boolean;
  /** Whether the key is here; `unknown` where only signing would say. */
  readonly keyState: "here" | "missing" | "unknown";
}

/** What lists the keys that there are, and takes one of them. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  openpgp: ["gpg --list-secret-keys", "git config --global user.signingkey <id of a key>"],
  ssh: ["ls ~/.ssh/*.pub", "git config --global user.signingkey <path of a key>"],
};

/** Whether a commit that is to be signed can be. Nothing is signed for it: that may ask a person. */
export function signingFinding(facts: SigningFacts): Finding {
  const { format, key, program, hasProgram, keyState } = facts;
  const name = key === undefined ? "" : ` ${key}`;
  const unsigned = "git config commit.gpgsign false   # to sign no commit here";
  if (!hasProgram) {
    const message = `commits are to be signed, and there is no program ${program}`;
    return problem("signing", message, [`install ${program}`, unsigned]);
  }
  switch (keyState) {
    case "here":
      return ok("signing", `commits are signed (${format},${name || " key of the committer"})`);
    case "missing": {
      const what = key === undefined ? "no key is set" : `the key${name} is not here`;
      const message = `commits are to be signed, and ${what} (${format})`;
      return problem("signing", message, [...(KEYS[format] ?? []), unsigned]);
    }
    case "unknown":
      return unknown(
        "signing",
        `commits are signed (${format}${name && `,${name}`}); a run tries first whether the key works`,
      );
  }
}
