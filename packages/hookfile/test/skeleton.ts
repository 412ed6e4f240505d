import MarkdownIt from "markdown-it";
import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

const markdownIt = new MarkdownIt({ html: true, linkify: true });

/**
 * What markdown-it makes of a Markdown text, without what stands in code spans and fences: every
 * block and phrase in order, one line each. It is of others than the serialiser, and quick.
 */
export function tokensOf(markdown: string): readonly string[] {
  return markdownIt
    .parse(markdown, {})
    .flatMap((token) => [token, ...(token.children ?? [])])
    .map(({ type, tag, level, info, content, attrs }) => {
      const line = `${" ".repeat(level)}${type} ${tag} ${info} ${JSON.stringify(attrs)}`;
      if (type === "fence") return `${line} ${keysOf(content)}`;
      if (type === "html_block") return line + withoutDigest(content);
      return type === "text" ? line + content : line;
    });
}

/**
 * What micromark, which knows all of CommonMark and GFM, makes of a Markdown text, in the same way,
 * indented by depth.
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
      return ` ${withoutDigest(node.value)}`;
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
    .trimEnd()
    .split("\n")
    .map((line) => /^[A-Z][A-Za-z ]+:/.exec(line)?.[0] ?? "???")
    .join(" ");
}

function withoutDigest(mark: string): string {
  return mark.replace(/sha256=[0-9a-f]{64}/, "sha256=…");
}
