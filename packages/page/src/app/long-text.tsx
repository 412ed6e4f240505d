import { useState } from "preact/hooks";

/** UTF-16 code units that are drawn at a time. */
const PAGE = 20_000;

interface LongTextProps {
  readonly text: string;
  readonly class?: string | undefined;
}

/** Text as it is, of which a part is drawn at a time. */
export function LongText({ text, class: name = "text" }: LongTextProps) {
  const [shown, setShown] = useState(PAGE);
  const rest = text.length - shown;
  return (
    <>
      <pre class={name}>{rest > 0 ? text.slice(0, shown).toWellFormed() : text}</pre>
      {rest > 0 && (
        <button type="button" class="more" onClick={() => setShown(shown + PAGE * 10)}>
          Show more: {Math.ceil(rest / 1000)} thousand characters are not shown
        </button>
      )}
    </>
  );
}
