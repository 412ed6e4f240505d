/** What stands behind `APPROVED:` in place of an approval. */
const DENIES = new RegExp(
  [
    "no|nope|never|not|none|nothing|null|sorry|absolutely not|definitely not|certainly not|by no means|fail(?:ed)?",
    "needs? (?:more )?(?:work|changes?)|changes? (?:requested|needed|required|necessary)",
    "false|n/a|only|unless|until|pending|partly|partially|tentatively",
    "conditional|withheld|denied|refused|rejected|declined|blocked|postponed",
    "cannot|can'?t|can not|won'?t|will not|would not|wouldn'?t|do not|don'?t",
    "i (?:cannot|can'?t|can not|won'?t|will not|would not|wouldn'?t|do not|don'?t)",
  ].join("|"),
  "u",
);
const BEGINS_WITH_DENIAL = new RegExp(`^(?:${DENIES.source})(?![\\w-])`, "iu");

/** It begins like a denial, and says that there is nothing against it. */
const NOTHING_AGAINST =
  /^(?:no|none|nothing)(?:\s+(?:else|more|further|other|open|remaining|new|major|blocking|\w+ly))*\s*(?:issues?|problems?|findings?|objections?|concerns?|defects?|regressions?|blockers?|complaints?|remarks?|comments?|changes? (?:needed|required|necessary)|to \w+|against|(?:blocks?|prevents?|hinders?|speaks|stands)\b|(?:is |was |seems )?(?:wrong|missing|amiss|off|left|open|broken))\b/iu;

/** A denial or a condition, wherever it stands. */
const TAKES_BACK =
  /\b(?:cannot|can'?t|can not|won'?t|will not|would not|wouldn'?t|do not|don'?t|does not|doesn'?t|not)(?: \w+)? (?:approved?|accept|be (?:approved|accepted|merged|shipped|released))\b|\bonly (?:if|when|after|once|for)\b|\b(?:provided|on condition) that\b|\bas long as\b|\b(?:unless|until|once|after|if|when) (?:[^.;]|\.(?=\w))*\b(?:fixed|resolved|addressed|added|corrected|pass|passes)\b/iu;

/** A place to be filled in, a cross, a mark of nothing. */
const NO_WORDS = /^(?:<[^>]*>|\[[^\]]*\]|\{[^}]*\}|[❌✗✘✖🚫⛔👎]|0\s*(?:\/|%|of\b)|[-–—?…]+\s*$)/u;

/** Whether what stands behind `APPROVED:` denies the approval, or makes it hang on something. */
export function isDenied(words: string): boolean {
  if (NO_WORDS.test(words)) return true;
  const plain = words.replace(/^[\s*_~`"'([]+/u, "").replaceAll("’", "'");
  if (NOTHING_AGAINST.test(plain)) return TAKES_BACK.test(plain);
  return BEGINS_WITH_DENIAL.test(plain) || TAKES_BACK.test(plain);
}
