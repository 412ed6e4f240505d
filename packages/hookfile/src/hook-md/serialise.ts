import type { RootContent } from "mdast";
import { gfmTableToMarkdown } from "mdast-util-gfm-table";
import { toMarkdown } from "mdast-util-to-markdown";

/** Markdown of a tree: CommonMark with the tables of GFM. */
export function serialise(children: readonly RootContent[]): string {
  return toMarkdown(
    { type: "root", children: [...children] },
    {
      bullet: "-",
      emphasis: "_",
      fences: true,
      listItemIndent: "one",
      rule: "-",
      extensions: [gfmTableToMarkdown({ stringLength: columnsOf })],
    },
  );
}

/** Our one sign that is two columns wide; of what others write, each code point is taken for one. */
function columnsOf(cell: string): number {
  return Array.from(cell).length + (cell.startsWith("✅") ? 1 : 0);
}
