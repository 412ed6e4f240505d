import type { Tone } from "../view/verdict.ts";

const ICONS: Readonly<Record<Tone, string>> = { good: "✓", bad: "✕", wait: "!", quiet: "•" };

/** A word with a colour and a sign, which says the same without the colour. */
export function Badge({ tone, word }: { readonly tone: Tone; readonly word: string }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{ICONS[tone]}</span> {word}
    </span>
  );
}
