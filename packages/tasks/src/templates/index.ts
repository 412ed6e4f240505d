export { parseTemplate } from "./parse-template.ts";
export { listTemplates, resolveTemplate } from "./resolve-template.ts";
export type { Template } from "./template.ts";
