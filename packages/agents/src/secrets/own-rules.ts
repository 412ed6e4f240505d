import type { KeptRule } from "./kept-rules.ts";

/**
 * What the kept rules leave out of kinds that agents meet most: other lengths, further kinds of the same
 * family, and web tokens. A digit tells those of them that may hold hyphens from words with hyphens.
 */
export const OWN_RULES: readonly KeptRule[] = [
  { prefixes: ["sk-ant-"], pattern: "sk-ant-(?=[\\w-]{0,60}\\d)[\\w-]{20,400}" },
  {
    prefixes: ["sk-proj-", "sk-svcacct-", "sk-admin-"],
    pattern: "sk-(?:proj|svcacct|admin)-(?=[\\w-]{0,60}\\d)[\\w-]{20,400}",
  },
  {
    prefixes: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    pattern: "gh[pousr]_[A-Za-z0-9]{30,400}",
  },
  { prefixes: ["github_pat_"], pattern: "github_pat_[A-Za-z0-9_]{40,400}" },
  {
    prefixes: ["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
    pattern: "(?:xox[abeoprs]|xapp)-(?=[A-Za-z0-9-]{0,60}\\d)[A-Za-z0-9-]{15,400}",
  },
  // Three parts in base64url, the first two of them JSON objects. None begins within another one.
  {
    prefixes: ["eyJ"],
    pattern: "(?:(?<![_-])|(?<=^[-+]))eyJ[\\w-]{8,4096}\\.eyJ[\\w-]{8,16384}\\.[\\w-]{16,4096}",
  },
];
