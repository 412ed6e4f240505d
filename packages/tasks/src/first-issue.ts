import type { BaseIssue } from "valibot";

/**
 * What is wrong first, and where: `steps[2].name is not a text`. Schemas say in their messages what a
 * value should be.
 *
 * @param nameOf - What a key is called in the file. @default as it is
 */
export function firstIssue(
  issues: readonly [BaseIssue<unknown>, ...BaseIssue<unknown>[]],
  nameOf: (key: string) => string = (key) => key,
): string {
  const [issue] = issues;
  const path = (issue.path ?? []).map(({ key }) =>
    typeof key === "number" ? `[${key}]` : `.${shown(nameOf(String(key)))}`,
  );
  const where = path.join("").replace(/^\./, "") || "the file";
  if (issue.type === "strict_object" && issue.expected === "never") {
    return `${where} is not a key that there is`;
  }
  if (issue.type.endsWith("object") && issue.received === "undefined") {
    return `${where} is not there`;
  }
  return `${where} is not ${issue.message}`;
}

/** A key that came with the data. */
function shown(key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? key : "(an odd key)";
}
