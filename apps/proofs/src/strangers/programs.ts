// The programs that pages give to be copied.

/** The blocks of TypeScript in a page, in order. */
export function programsOf(page: string): readonly string[] {
  return [...page.matchAll(/^```ts\n([^]*?)^```$/gmu)].map(([, text = ""]) => text);
}

const IMPORT = /^import \{([^}]*)\} from "([^"]+)";\n/gmu;

/** The packages of ours that a program imports, each once. */
export function packagesOf(program: string): readonly string[] {
  const specifiers = [...program.matchAll(IMPORT)].map(([, , specifier = ""]) => specifier);
  const names = specifiers.map((specifier) => /^@quasar\/[a-z]+/u.exec(specifier)?.[0] ?? "");
  return [...new Set(names)].filter((name) => name !== "");
}

/** All programs of a page as one module: each may use what those before it have declared, or declare it anew. */
export function storyOf(programs: readonly string[]): string {
  const imported = new Map<string, Set<string>>();
  for (const [, names = "", specifier = ""] of programs.join("").matchAll(IMPORT)) {
    const known = imported.get(specifier) ?? new Set();
    for (const name of names.split(",")) if (name.trim() !== "") known.add(name.trim());
    imported.set(specifier, known);
  }
  const imports = [...imported].map(
    ([specifier, names]) => `import { ${[...names].join(", ")} } from "${specifier}";\n`,
  );
  const blocks = programs.map((program) => `{\n${program.replaceAll(IMPORT, "")}`);
  return [...imports, ...blocks, "}".repeat(programs.length), "\n"].join("");
}
