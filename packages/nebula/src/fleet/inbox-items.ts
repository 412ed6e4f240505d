import { type InboxItem, PortError, type PromiseId, readReply } from "../port/index.ts";
import type { KindOfReply } from "../port/promises.ts";

/** What a person has answered; `refused`: why it is no answer, which nobody waits with. */
export type ReadItem =
  | { readonly id: PromiseId; readonly said: KindOfReply }
  | { readonly refused: string };

/** Reads an item of the inbox that is no note: of anybody who has the fleet's key. */
export function readItem(item: InboxItem): ReadItem {
  const id = item.id as PromiseId;
  try {
    return { id, said: readReply(id, item.value as never) };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return { refused: error.message };
  }
}
