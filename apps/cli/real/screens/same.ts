// When two screens are the same to a person, whatever the clock, the machine and chance have made of them.

/** Lines that come by the clock, with those that continue under them: it is unknown between which others. */
const BY_THE_CLOCK = [
  /^(?:[\d:]{8})? +saved +\S+ \((?:interval|git_commit)\).*\n(?: {11,}.*\n)*/gmu,
  /^ {2}working  .*\n/gmu,
];

/** Whether a machine can end what hides from an agent. */
const DAEMONS = /^( {2}daemons ) a process that hides [^)]*\)/gmu;

const VARYING: readonly (readonly [RegExp, string])[] = [
  ...BY_THE_CLOCK.map((pattern) => [pattern, ""] as const),
  [DAEMONS, "$1 …"],
  [/\d{8}-\d{6}-[0-9a-f]{6}/gu, "RUN"],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, "UUID"],
  [/\b(ckpt|rcpt)-[0-9a-f]{16}/gu, "$1-ID"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{10}(?:[0-9a-f]{30})?\b/gu, "COMMIT"],
  // After commits: the ids of some have no other characters than those of a nebula.
  [/(?<=\b(?:--nebula|apply|status|log|stop|nebula) +)(?=[a-z2-7]{10}\b)[a-z2-7]{10}/gu, "NEBULA"],
  [/(?<=quasar-demo-)\w{6}/gu, "DEMO"],
  [/\d{4}-\d\d-\d\d/gu, "DATE"],
  [/\b\d\d:\d\d(?::\d\d)?\b/gu, "TIME"],
  [/\b\d:\d\d\b/gu, "CLOCK"],
  [/\b(?:\d+(?:\.\d+)? ?(?:ms|s|min)|now)\b(?: ago)?/gu, "DURATION"],
  [/\b\d+\.\d+\.\d+\b/gu, "VERSION"],
  [/\b[\d.]+ [KMGT]iB\b/gu, "SIZE"],
  [/\b(?:[\d,]+|any number of)(?= files open)/gu, "MANY"],
  [/(?<=\bprocess |kill -(?:INT|9) )\d+/gu, "PID"],
  [/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gmu, "⠋"],
  [/\btask-[0-9a-f]{8}\b/gu, "task-ID"],
  // What a row has no more room for.
  [/ {2}[\w-]*…$/gmu, "  …"],
  // Columns are as wide as their longest duration.
  [/ {2,}/gu, "  "],
];

/** Screens of phases that work side by side: whose line comes first is up to the clock. */
const SIDE_BY_SIDE = /^\$ quasar nebula (?:apply|log|demo)\b/u;

/** A screen without what differs each time: two screens are the same where that is. */
export function lasting(screen: string): string {
  const text = VARYING.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), screen);
  return SIDE_BY_SIDE.test(screen) ? text.split("\n").toSorted().join("\n") : text;
}
