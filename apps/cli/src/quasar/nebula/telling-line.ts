/** What package managers print before what a script prints. */
const HEADER = /^(?:> |\$ |yarn run v)/u;

const TELLS = /error|fail|expected|assert|not ok|[✗✖×]/iu;

/** Of a summary: nothing has failed. */
const NONE = /\b0 (?:errors?|fail)|\b(?:errors?|fail(?:ed|ures?)?):? 0\b/iu;

/**
 * The one line of a command's output that stands for all of it: the first that names a failure, else the last one. `""`
 * where it has printed nothing.
 */
export function tellingLine(output: string): string {
  const all = output.split("\n").filter((line) => line.trim() !== "");
  const lines = all.filter((line) => !HEADER.test(line.trimStart()));
  const telling = lines.find((line) => TELLS.test(line) && !NONE.test(line));
  return telling ?? lines.at(-1) ?? all.at(-1) ?? "";
}
