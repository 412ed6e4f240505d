import type { Change, NebulaPort } from "@quasar/nebula/port";

/** How long it is waited for events that are there, in milliseconds. */
const THERE_MS = 1000;

/** The events after a number that the server has now; `undefined`: none. */
export async function eventsThere(
  port: Pick<NebulaPort, "watch">,
  nebula: string,
  from: number,
  signal?: AbortSignal,
): Promise<Change | undefined> {
  const late = AbortSignal.timeout(THERE_MS);
  const over = signal === undefined ? late : AbortSignal.any([signal, late]);
  for await (const change of port.watch(nebula, from, over)) return change;
  return undefined;
}
