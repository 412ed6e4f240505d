import { proseTexts } from "./prose.ts";
import { readTypeScript } from "./read-typescript.ts";
import { blank, type Text } from "./text.ts";

const FENCE =
  /^(?<open>[ >]*(?<marks>```+|~~~+)(?<language>\w*)[^\n]*\n)(?<body>.*?)^[ >]*\k<marks>[ \t]*$/gms;

/** What says nothing to a reader: comments, and where a link goes. */
const UNREAD = /<!--.*?-->|(?<=\])\([^)\s]*\)|^\[[^\]]+\]: \S+$/gms;

/** The prose of a Markdown file, the names in its code, and its examples in TypeScript. */
export function readMarkdown(source: string): readonly Text[] {
  const examples = [...source.matchAll(FENCE)].flatMap(({ index, groups = {} }) => {
    const { open = "", language = "", body = "" } = groups;
    return language === "ts" ? moved(readTypeScript(body), index + open.length) : [];
  });
  const prose = source.replaceAll(FENCE, blank).replaceAll(UNREAD, blank);
  return [...proseTexts(prose, 0), ...examples];
}

function moved(texts: readonly Text[], by: number): readonly Text[] {
  return texts.map((text) => ({ ...text, start: text.start + by }));
}
