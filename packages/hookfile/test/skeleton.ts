import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/**
 * What a CommonMark and GFM parser makes of a Markdown text, without what stands in code spans and
 * fences: every block and phrase in order, one line each, indented by depth.
 */
export function skeletonOf(markdown: string): readonly string[] {
  const tree = fromMarkdown(markdown, {
    extensions: [gfm()],
    mdastExtensions: [gfmFromMarkdown()],
  });
  return describe(tree, 0);
}

function describe(node: Nodes, depth: number): readonly string[] {
  const children = "children" in node ? node.children : [];
  const line = `${" ".repeat(depth)}${node.type}${detailOf(node)}`;
  return [line, ...children.flatMap((child) => describe(child, depth + 1))];
}

function detailOf(node: Nodes): string {
  switch (node.type) {
    case "heading":
      return ` ${node.depth}`;
    case "list":
      return node.ordered === true ? ` from ${node.start}` : "";
    case "text":
      return ` ${JSON.stringify(node.value)}`;
    case "html":
      return ` ${node.value.replace(/sha256=[0-9a-f]{64}/, "sha256=…")}`;
    case "code":
      return ` ${node.lang ?? ""} ${keysOf(node.value)}`;
    default:
      return "";
  }
}

/** The names of the lines in a receipt's fence, which are ours; of another fence, nothing. */
function keysOf(value: string): string {
  if (!value.startsWith("Command: ")) return "";
  return value
    .split("\n")
    .map((line) => /^[A-Z][A-Za-z ]+:/.exec(line)?.[0] ?? "???")
    .join(" ");
}
