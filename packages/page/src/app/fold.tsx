import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface FoldProps {
  readonly id?: string | undefined;
  readonly class?: string | undefined;
  /** @default closed */
  readonly isOpen?: boolean | undefined;
  readonly summary: ComponentChildren;
  /** Drawn when it is opened first. */
  readonly children: () => ComponentChildren;
}

/** Something that is drawn only once a reader opens it. */
export function Fold({ id, class: name, isOpen = false, summary, children }: FoldProps) {
  const [isDrawn, setDrawn] = useState(isOpen);
  return (
    <details
      id={id}
      class={name === undefined ? "fold" : `fold ${name}`}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setDrawn(true);
      }}
    >
      <summary>{summary}</summary>
      {isDrawn && <div class="fold-body">{children()}</div>}
    </details>
  );
}
