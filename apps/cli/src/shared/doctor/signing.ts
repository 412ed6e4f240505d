import type { Signing } from "@quasar/git";
import { type Finding, ok, problem, unknown } from "./finding.ts";

export interface SigningFacts extends Signing {
  readonly hasProgram: boolean;
  /** Whether the key is here; `unknown` where only signing would say. */
  readonly keyState: "here" | "missing" | "unknown";
}

const SET_KEY = "then git config --global user.signingkey <one of them>";

/** What lists the keys that there are. */
const KEYS: Readonly<Record<string, string>> = {
  openpgp: "gpg --list-secret-keys",
  ssh: "ls ~/.ssh/*.pub",
  x509: "gpgsm --list-secret-keys",
};

/** Whether a commit that is to be signed can be. Nothing is signed for it: that may ask a person. */
export function signingFinding(facts: SigningFacts): Finding {
  const { format, key, program, hasProgram, keyState } = facts;
  const name = key === undefined ? "" : ` ${key}`;
  const unsigned = "git config commit.gpgsign false   (commits of this repository are not signed)";
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
      return problem("signing", message, [`${KEYS[format] ?? "git config"}, ${SET_KEY}`, unsigned]);
    }
    case "unknown":
      return unknown(
        "signing",
        `commits are signed (${format}${name && `,${name}`}); a run tries first whether the key works`,
      );
  }
}
