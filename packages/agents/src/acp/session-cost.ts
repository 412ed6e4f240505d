import type { AgentRequest } from "../agent.ts";
import { openOutput } from "../output-reader.ts";
import { contextOf, type TurnFiles, turnsBefore } from "../turn-files.ts";
import { acpContextOf } from "./context.ts";
import { type AcpReading, createAcpReader } from "./reader.ts";

const nobody = () => undefined;

/**
 * What a session has cost by the last turn of the run that was in it, in US dollars; `undefined`: that turn does not
 * say, or there is none.
 */
export function sessionUsdBefore(
  request: AgentRequest,
  dir: string,
  sessionId: string,
): number | undefined {
  for (const files of turnsBefore(dir, request)) {
    const context = acpContextOf(contextOf(files));
    if (context === undefined) continue;
    const reading = readTurn(files);
    if (reading.sessionId === sessionId) return reading.sessionUsd ?? context.beforeUsd;
  }
  return undefined;
}

function readTurn(files: TurnFiles): AcpReading {
  const { reading, read } = createAcpReader(nobody, { access: "read", titleIsCommand: false });
  const output = openOutput(files, { onLines: (lines) => lines.forEach(read) });
  try {
    while (output?.readOn() === true);
    return reading;
  } finally {
    output?.close();
  }
}
