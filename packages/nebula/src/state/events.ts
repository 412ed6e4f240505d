import { readJournal } from "@quasar/durable/journal";
import type { NebulaEvent } from "../events.ts";
import { nebulaHome } from "./home.ts";

/** An event, and when it happened: RFC 3339. */
export type KeptEvent = NebulaEvent & { readonly at: string };

/** What has happened to a nebula, oldest first, as far as its journal holds. */
export function nebulaEvents(commonDir: string, id: string): readonly KeptEvent[] {
  const journal = readJournal(nebulaHome(commonDir, id).journal, { joins: true });
  return (journal?.records ?? []).map(({ data }) => data as KeptEvent);
}
