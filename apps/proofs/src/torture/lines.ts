import { type TortureReport, tableOf } from "@quasar/torture/report";

/**
 * A torture's outcome for a person: what was killed where, what broke, and how each of that is done again.
 *
 * @param flags - What has to be said to torture the same.
 */
export function linesOf(report: TortureReport, flags: readonly string[]): readonly string[] {
  const points = Object.entries(report.points).filter(([, count]) => count > 0);
  const total = points.reduce((sum, [, count]) => sum + count, 0);
  const failures = report.failures.flatMap(({ kills, deviations, root }) => [
    "",
    ...kills,
    ...deviations.map(({ law, message }) => `  ${law}: ${oneLine(message)}`),
    `  in ${root}`,
    `  again: ${["pnpm torture --keep", ...flags, ...kills.map((kill) => `--replay '${kill}'`)].join(" ")}`,
  ]);
  const { alike, left, trials, seconds } = report;
  const bad = report.failures.length;
  return [
    `${total} steps: ${points.map(([kind, count]) => `${count} ${kind}`).join(", ")}`,
    "",
    ...tableOf(report),
    ...failures,
    "",
    ...(alike === 0 ? [] : [`${alike} kills cannot differ from these: --all makes them`]),
    ...(left === 0 ? [] : [`${left} kills were not made: it was interrupted`]),
    bad === 0
      ? `${trials} runs, nothing lost, in ${seconds} s`
      : `${bad} of ${trials} runs came out wrong, in ${seconds} s`,
  ];
}

/** What a command under torture printed is anybody's text. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ");
}
