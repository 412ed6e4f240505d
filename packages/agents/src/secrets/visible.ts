// oxlint-disable no-control-regex -- control characters are what is searched for

/** Characters that are not seen: controls, and those without a width. */
const HIDDEN =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u;
/**
 * What acts on a terminal: sequences with parameters, such as a colour; those with a text, such as a title; others. None of
 * them goes beyond the next one, or is longer than any that a terminal takes: a text is read once.
 */
const SEQUENCES = [
  /(?:\u001b\[|\u009b)[0-?]{0,255}[ -/]{0,15}[@-~]/u,
  /(?:\u001b[\]PX^_]|[\u0090\u009d])[^\u0007\u001b\u009c]{0,4095}(?:\u0007|\u001b\\|\u009c)/u,
  /\u001b[ -/]{0,15}[0-~]/u,
];
const ALL_HIDDEN = new RegExp([...SEQUENCES, HIDDEN].map(({ source }) => source).join("|"), "gu");

/** Whether a text holds anything that is not seen. */
export const hidesAnything = (text: string): boolean => HIDDEN.test(text);

/** A text as a person sees it. However long it is, it is read once. */
export const visibleText = (text: string): string =>
  hidesAnything(text) ? text.replace(ALL_HIDDEN, "") : text;

/**
 * Takes secrets out of a text as it is and, if one is whole only as a person sees it, of the text without what is
 * not seen.
 */
export function asSeen(redact: (text: string) => string): (text: string) => string {
  return (text) => {
    const shown = redact(text);
    const seen = visibleText(shown);
    if (seen === shown) return shown;
    const redacted = redact(seen);
    return redacted === seen ? shown : redacted;
  };
}
