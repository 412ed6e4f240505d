import type { TrialFacts } from "./facts.ts";

/** How a trial of a row has ended. */
export interface Ended {
  readonly row: string;
  readonly expected: string;
  readonly seen: readonly string[];
  readonly broken: readonly string[];
  /** `undefined`: it did not come to its end. */
  readonly facts?: TrialFacts | undefined;
  readonly seconds: number;
}

/** A row of the table for each row that was tried, in Markdown, then what is broken. */
export function tableOf(ended: readonly Ended[]): readonly string[] {
  const names = [...new Set(ended.map(({ row }) => row))];
  const rows = names.map((name) => rowOf(ended.filter(({ row }) => row === name)));
  const broken = ended.flatMap(({ row, broken: all }) => all.map((each) => `${row}: ${each}`));
  return [
    "| row | times | expected | seen | repeated | landings | broken |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
    ...(broken.length === 0 ? [] : ["", ...broken]),
  ];
}

function rowOf(ended: readonly Ended[]): string {
  const [first] = ended;
  const count = (of: (facts: TrialFacts) => number): string =>
    [...new Set(ended.map(({ facts }) => (facts === undefined ? "?" : of(facts))))].join("/");
  const cells = [
    first?.row,
    ended.length,
    first?.expected,
    ended.map(({ seen }) => seen.join(", ") || "-").join("; "),
    count(({ repeated }) => repeated.length),
    count(({ landings }) => landings.length),
    ended.filter(({ broken }) => broken.length > 0).length || "no",
  ];
  return `| ${cells.join(" | ")} |`;
}
