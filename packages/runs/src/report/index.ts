/** A run as Markdown, for a pull request or a person. */
export { code, fence, fenceFor, table, word } from "./inert.ts";
export {
  bounded,
  footer,
  type ReportOptions,
  runMarkdown,
  sectionText,
  verdictLine,
} from "./markdown.ts";
export {
  crashWords,
  filled,
  historyParts,
  listText,
  moneyText,
  type ReportLimits,
  type ReportPart,
  reserved,
  rowsText,
  sizeText,
  workParts,
} from "./parts.ts";
