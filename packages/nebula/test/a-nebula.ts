import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { byName } from "../src/spec/by-name.ts";
import { type ParsedNebula, parseNebula, type ParseOptions } from "../src/spec/parse.ts";
import type { NebulaSpec } from "../src/spec/types.ts";

/** Texts of a nebula's files. */
export type Texts = Readonly<Record<string, string>>;

export const MANIFEST = '[nebula]\nname = "demo"\n';

/** The text of a phase's file. @param keys - Lines of front matter beside id and title. */
export function aPhase(id: string, keys = "", body = "Do it."): string {
  return `+++\nid = ${JSON.stringify(id)}\ntitle = ${JSON.stringify(`Title of ${id}`)}\n${keys}\n+++\n${body}\n`;
}

/** Parses texts as those of a folder; nebula.toml is {@link MANIFEST} where it is left out. */
export function parsed(texts: Texts, options: ParseOptions = {}): ParsedNebula {
  const { "nebula.toml": manifest = MANIFEST, ...others } = texts;
  const phases = Object.entries(others)
    .map(([file, text]) => ({ file, text }))
    .toSorted((a, b) => byName(a.file, b.file));
  return parseNebula({ manifest, phases, problems: [] }, options);
}

/** The nebula of phases that wait for others: `{ b: ["a"], a: [] }`. */
export function aSpec(
  phases: Readonly<Record<string, readonly string[]>>,
  keys: Texts = {},
  manifest = MANIFEST,
): NebulaSpec {
  const texts = Object.entries(phases).map(([id, needs]) => {
    const front = `depends_on = ${JSON.stringify(needs)}\n${keys[id] ?? ""}`;
    return [`${id}.md`, aPhase(id, front)] as const;
  });
  const { spec, problems } = parsed({ "nebula.toml": manifest, ...Object.fromEntries(texts) });
  if (spec === undefined) throw new Error(JSON.stringify(problems));
  return spec;
}

/** A folder with these files, which goes when the test ends. */
export function aFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "quasar-nebula-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}
