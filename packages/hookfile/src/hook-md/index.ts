export { insertAgentText, removeAgentText } from "./agent-text.ts";
export { HOOK_MD_COMMANDS } from "./commands.ts";
export { renderHookMd } from "./hook-md.ts";
export { relationOfHookMd } from "./relation.ts";
export { generateSynopsis } from "./synopsis.ts";
