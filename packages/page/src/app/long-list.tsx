import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface LongListProps<Item> {
  readonly items: readonly Item[];
  /** How many are drawn at a time. */
  readonly page: number;
  /** What they are called: `events`. */
  readonly noun: string;
  /** Draws those that are shown. */
  readonly children: (shown: readonly Item[]) => ComponentChildren;
}

/** A list of which a part is drawn at a time. */
export function LongList<Item>({ items, page, noun, children }: LongListProps<Item>) {
  const [shown, setShown] = useState(page);
  const rest = items.length - shown;
  return (
    <>
      {children(items.slice(0, shown))}
      {rest > 0 && (
        <button type="button" class="more" onClick={() => setShown(shown + page)}>
          Show {Math.min(rest, page)} more of {rest} {noun}
        </button>
      )}
    </>
  );
}
