import type {
  Blockquote,
  BlockContent,
  Code,
  Heading,
  InlineCode,
  List,
  Paragraph,
  PhrasingContent,
  RootContent,
  Strong,
  Table,
  TableRow,
} from "mdast";
import { visibleLine, visibleLines } from "./text.ts";

/** Words of ours, as they are; anything that is not ours goes through `quoted` or `fence`. */
export type Phrase = string | PhrasingContent;
export type Phrases = readonly Phrase[];
export type Section = readonly RootContent[];

/** Most code points that are shown of a text on one line. */
export const LINE_LENGTH = { name: 100, path: 300, text: 300, cell: 120 } as const;

/** Text of others on a line: a code span. */
export function quoted(text: string, max: number = LINE_LENGTH.name): InlineCode {
  return { type: "inlineCode", value: visibleLine(text, max) };
}

/** A value that is shown bare if it is what it should be, and else as text of others. */
export function checked(text: string, pattern: RegExp): Phrase {
  return pattern.test(text) ? text : quoted(text);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** A time, in full: never relative to now, or the same state would give other bytes. */
export const time = (text: string): Phrase => checked(text, TIME);

/**
 * Text of others in lines: a fence that is longer than any run of its characters inside, each line of
 * which begins with a mark, so that none looks like the document's own line to a reader of raw text.
 */
export function fence(text: string, max: number, keep?: "start" | "end"): Code {
  return { type: "code", value: visibleLines(text, max, keep).replaceAll(/^(?=(.?))/gmu, markOf) };
}

const markOf = (_start: string, first: string): string => (first === "" ? ">" : "> ");

/** Lines of ours in a fence; each of the values is on one line. */
export function fenceOf(lines: readonly string[]): Code {
  return { type: "code", value: lines.join("\n") };
}

export function strong(text: string): Strong {
  return { type: "strong", children: [{ type: "text", value: text }] };
}

/** A command to run, which is ours. */
export function command(value: string): InlineCode {
  return { type: "inlineCode", value };
}

export function heading(depth: 1 | 2 | 3, ...phrases: Phrases): Heading {
  return { type: "heading", depth, children: phrasing(phrases) };
}

export function paragraph(...phrases: Phrases): Paragraph {
  return { type: "paragraph", children: phrasing(phrases) };
}

/** One line below the other. */
export function lines(rows: readonly Phrases[]): Paragraph {
  return paragraph(...rows.flatMap((row, index) => (index === 0 ? row : ["\n", ...row])));
}

/** `**Name:** value`. */
export function field(name: string, ...value: Phrases): Phrases {
  return [strong(`${name}:`), " ", ...value];
}

export function quote(...children: BlockContent[]): Blockquote {
  return { type: "blockquote", children };
}

export function list(items: readonly Phrases[], ordered = false): List {
  return {
    type: "list",
    ordered,
    spread: false,
    children: items.map((item) => ({
      type: "listItem",
      spread: false,
      children: [paragraph(...item)],
    })),
  };
}

export function table(head: readonly string[], rows: readonly (readonly Phrases[])[]): Table {
  const cells = (row: readonly Phrases[]): TableRow => ({
    type: "tableRow",
    children: row.map((cell) => ({ type: "tableCell", children: phrasing(cell) })),
  });
  return { type: "table", children: [cells(head.map((name) => [name])), ...rows.map(cells)] };
}

/** `a`, `b` and what `rest` says of those that are not shown. */
export function enumeration(
  values: readonly Phrase[],
  max: number,
  rest: (count: number) => string,
): Phrases {
  const shown = values
    .slice(0, max)
    .flatMap((value, index) => (index === 0 ? [value] : [", ", value]));
  return values.length > max ? [...shown, rest(values.length - max)] : shown;
}

function phrasing(phrases: Phrases): PhrasingContent[] {
  return phrases.map((phrase) =>
    typeof phrase === "string" ? { type: "text", value: phrase } : phrase,
  );
}
