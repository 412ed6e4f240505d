/**
 * The lines that the README has typed under a heading of its section "Install".
 *
 * @throws {Error} where there is no such heading, or nothing is typed under it.
 */
export function typedUnder(readme: string, heading: string): readonly string[] {
  const [, section = ""] = readme.split("\n## Install\n");
  const [own = ""] = section.split("\n## ");
  const [, part = ""] = own.split(`\n### ${heading}\n`);
  const [text = ""] = part.split("\n### ");
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gmu)];
  const lines = blocks.flatMap(([, block = ""]) => block.trimEnd().split("\n"));
  if (lines.length === 0) throw new Error(`README.md has nothing typed under "${heading}"`);
  return lines.map((line) => line.replace(/\s+#.*$/u, ""));
}
