/** A nebula as Markdown, for a pull request or a person. */
export { nebulaMarkdown, nebulaVerdictLine } from "./markdown.ts";
