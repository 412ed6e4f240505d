/** A run as Markdown, for a pull request or a person. */
export { code, fence, table, word } from "./inert.ts";
export { type ReportOptions, runMarkdown, sectionText, verdictLine } from "./markdown.ts";
export { historyParts, type ReportLimits, type ReportPart, workParts } from "./parts.ts";
