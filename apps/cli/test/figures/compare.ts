import { vi } from "vitest";
import type { Place } from "../harness.ts";
import { connect, type Connected } from "../mcp-client.ts";

/** What one reader shows. */
export interface Comparison<Figures> {
  readonly reader: string;
  readonly shown: Partial<Figures>;
  /** Of what it shows. */
  readonly expected: Partial<Figures>;
}

/** What every reader shows of a run or a nebula, beside what it should. */
export async function compareFigures<Figures extends object>(
  readers: Readonly<
    Record<string, (at: Place, id: string, server: Connected) => Promise<Partial<Figures>>>
  >,
  at: Place,
  id: string,
  figures: Figures,
): Promise<readonly Comparison<Figures>[]> {
  // The cockpit reads in the process of the test.
  for (const [key, value] of Object.entries(at.env)) vi.stubEnv(key, value);
  const server = await connect(at);
  const compared: Comparison<Figures>[] = [];
  for (const [reader, read] of Object.entries(readers)) {
    const shown = await read(at, id, server);
    const own = Object.entries(figures).filter(([key]) => key in shown);
    compared.push({ reader, shown, expected: Object.fromEntries(own) as Partial<Figures> });
  }
  return compared;
}
