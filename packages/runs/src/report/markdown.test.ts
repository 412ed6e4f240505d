import type { Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { expect, test } from "vitest";
import { factsSaying } from "../../test/facts.ts";
import { runMarkdown } from "./markdown.ts";

const NEXT = ["quasar resume --max-cycles 5"];

const HOSTILE: readonly string[] = [
  "[click](https://evil.example) ![x](https://evil.example/x.png)",
  "https://evil.example www.evil.example mail@evil.example",
  "<img src=x onerror=alert(1)> <!-- --> <script>alert(1)</script>",
  "@everyone fixes #1, closes owner/repo#2 GH-3 0123456789abcdef0123456789abcdef01234567",
  "a | b || c \\| d \\\\| e |",
  "# heading\n\n## more\n---\nsetext\n===",
  "`one` ``two`` ```three``` ````four````",
  "```\n@everyone\n```\n# out of the fence\n~~~\n@everyone",
  "`",
  "``",
  "\\`@everyone\\`",
  " `@everyone` ",
  "- list\n1. list\n> quote\n    code\n\t@everyone",
  "line\r@everyone\u2028@everyone\u0085@everyone\u001b[2J\u202e",
  "| a |\n| - |\n| @everyone |",
  "$$x$$ :smile: [^1] [x]: https://evil.example",
  "&lt;b&gt; &#64;everyone",
  "\ud800 lone",
];

/** What there is in ours that acts on a reader: nothing. */
const OURS: ReadonlySet<string> = new Set([
  ...["root", "heading", "paragraph", "text", "strong", "inlineCode", "code"],
  ...["table", "tableRow", "tableCell", "list", "listItem"],
]);

function parsed(markdown: string): Root {
  return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

function* nodesOf(node: Nodes): Generator<Nodes> {
  yield node;
  if ("children" in node) for (const child of node.children) yield* nodesOf(child);
}

function shapeOf(markdown: string): readonly string[] {
  return [...nodesOf(parsed(markdown))].map((node) =>
    node.type === "text" ? `text ${node.value}` : node.type,
  );
}

const PLAIN = shapeOf(runMarkdown(factsSaying("it is so"), { next: NEXT }));

test.for(HOSTILE)("nothing that an agent wrote acts in a report: %j", (text) => {
  const markdown = runMarkdown(factsSaying(text), { next: NEXT });
  const nodes = [...nodesOf(parsed(markdown))];
  expect(nodes.map(({ type }) => type).filter((type) => !OURS.has(type))).toEqual([]);
  const outside = nodes.flatMap((node) => (node.type === "text" ? [node.value] : [])).join("\n");
  expect(outside).not.toMatch(/[@#<>[\]\\]|evil|everyone/u);
  expect(markdown).not.toMatch(/[^\P{C}\n]/u);
  // Neither more headings nor more cells than of a harmless text.
  expect(shapeOf(markdown)).toEqual(PLAIN);
});

test("a report is bounded, and says what it leaves out", () => {
  const markdown = runMarkdown(factsSaying("word ".repeat(3000), 5000), { next: NEXT });
  expect(markdown.length).toBeLessThanOrEqual(60_000);
  expect(markdown.length).toBeGreaterThan(5_000);
  expect(markdown).toMatch(/\d+ earlier rows left out\./u);
  expect(shapeOf(markdown).filter((type) => type === "heading")).toHaveLength(
    PLAIN.filter((type) => type === "heading").length,
  );
});

test("a report says what there is to know of a run", () => {
  const facts = factsSaying("it is so");
  expect(runMarkdown(facts, { next: NEXT, redactionSet: "0123abcd" })).toMatchInlineSnapshot(`
    "## Run \`it is so\`

    **Stopped** in cycle 2 of 3 · $0.50 known, up to $0.25 more, of $5.00 · 1 turn · 0.0 s of work · 1 crash, 1 turn paid for again ($0.75)

    Because: \`it is so\`

    \`\`\`text
    it is so
    \`\`\`

    ### Review

    The reviewer: not approved, satisfaction \`it is so\`, risk \`it is so\`, a person should look at it.

    \`\`\`text
    it is so
    \`\`\`

    ### Findings

    | severity | finding | cycle | status (cycle) |
    | --- | --- | --- | --- |
    | \`it is so\` | \`it is so\` | 1 | found (1), fixed (2) |

    ### Checks

    | cycle | kind | check | result |
    | --- | --- | --- | --- |
    | 1 | check | \`it is so\` | **failed** |

    ### Cost

    | of | known | reserved at most | turns |
    | --- | --- | --- | --- |
    | coder | $0.50 | $0.25 | 1 |
    | coder | $0.50 | $0.25 | 1 |
    | coder | $0.50 | $0.25 | 1 |
    | **all** | $0.50 | $0.25 | 1 |

    The limit is $5.00.

    ### Turns

    | turn | role | cycle | attempt | end | took | known cost | reserved |
    | --- | --- | --- | --- | --- | --- | --- | --- |
    | 1 | coder | 1 | 2 | done; started again; 1 action denied | 1:01 | $0.50 | $0.25 |

    ### Commits

    | commit | cycle | by | changes |
    | --- | --- | --- | --- |
    | \`0123456789\` | 1 | \`it is so\` | 2 files, +3 -1 |

    ### Crashes and resumes

    1 crash, 1 turn paid for again ($0.75)

    | life | began | ended | end | found of the life before |
    | --- | --- | --- | --- | --- |
    | 1 | 2026-01-01 00:00:00 UTC | 2026-01-01 00:00:00 UTC | \`it is so\`: \`it is so\` | turn \`it is so\` started again |
    | 2 | 2026-01-01 00:00:00 UTC | 2026-01-01 00:00:00 UTC | \`it is so\`: \`it is so\` | turn \`it is so\` started again |

    ### Damage

    - \`it is so\`

    ### How to reproduce

    - coder \`it is so\`, reviewer \`it is so\`
    - forked from run \`it is so\`
    - from commit \`0123456789abcdef0123456789abcdef01234567\` to \`0123456789abcdef0123456789abcdef01234567\`
    - \`quasar resume --max-cycles 5\`

    Secrets are taken out: redaction set \`0123abcd\`.
    "
  `);
});
