import { dirname, join } from "node:path";
import type { AgentDenial } from "../agent.ts";
import { cleanLine } from "../clean.ts";
import { denialOf } from "../permissions.ts";
import type { OpencodeCall } from "./event.ts";

/** What OpenCode says of a tool that a rule denies, that a person would have to allow, or that is not offered. */
const DENIED =
  /^(The user has specified a rule which prevents you|The user rejected permission|Model tried to call unavailable tool)/;
/** The rules that it names then: the one of the folder outside is among them. */
const OUTSIDE = '"permission":"external_directory"';

const EDITS: ReadonlySet<string> = new Set(["write", "edit", "patch", "apply_patch", "multiedit"]);

export const isDenied = ({ status, error }: OpencodeCall): boolean =>
  status === "error" && DENIED.test(error);

/** The file that a tool works on. */
export const pathOf = ({ input }: OpencodeCall): string | undefined =>
  [input["filePath"], input["path"], input["url"]].find((value) => typeof value === "string");

/** What was denied, for a person, and what `allowedTools` would have to name. */
export function opencodeDenial(call: OpencodeCall): AgentDenial {
  const tool = call.tool.toLowerCase();
  const path = pathOf(call);
  const isOutside = call.error.includes(OUTSIDE);
  if (tool === "bash") {
    const { what, allow } = denialOf("Bash", call.input);
    return { what, allow: isOutside ? ["external_directory"] : allow };
  }
  const what = cleanLine(path === undefined ? call.tool : `${call.tool} ${path}`);
  if (isOutside && path !== undefined) {
    return { what, allow: [`external_directory(${cleanLine(join(dirname(path), "*"))})`] };
  }
  return { what, allow: [EDITS.has(tool) ? "Edit" : cleanLine(tool)] };
}
