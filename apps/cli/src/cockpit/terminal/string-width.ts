import { stripVTControlCharacters } from "node:util";
import { widthOf } from "@quasar/runs/text";

const ASCII = /^[ -~]*$/u;

/** Stands in the bundle for the package of this name, by which Ink measures: columns of a text that may have styles. */
// oxlint-disable-next-line import/no-default-export -- as the package has it
export default function stringWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  return widthOf(text.includes("\u001b") ? stripVTControlCharacters(text) : text);
}
