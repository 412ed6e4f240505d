import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadNebula } from "@quasar/nebula/spec";
import * as z from "zod/v4";
import { McpError } from "../errors.ts";
import { tool } from "./tool.ts";

const MOST_FILES = 200;
const MOST_CHARACTERS = 1024 * 1024;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.(?:md|toml)$/u;

export const nebulaValidate = tool({
  name: "nebula_validate",
  title: "Check the files of a nebula",
  description:
    "Checks the files of a nebula that you have written, without writing them into the repository: nebula.toml and a Markdown file for each phase, by their names. Gives every problem with its file. Call it until there is none.",
  input: z.strictObject({
    files: z
      .record(z.string(), z.string())
      .describe('Texts by names of files: {"nebula.toml": "…", "01-parser.md": "…"}'),
  }),
  async call({ files }) {
    const entries = Object.entries(files);
    requireFiles(entries);
    const dir = mkdtempSync(join(tmpdir(), "quasar-mcp-"));
    try {
      for (const [name, text] of entries)
        writeFileSync(join(dir, name), text, { flag: "wx", mode: 0o600 });
      const { spec, problems } = loadNebula(dir, {});
      const facts = {
        isValid: spec !== undefined,
        name: spec?.name ?? "",
        phaseIds: spec?.phases.map(({ id }) => id) ?? [],
        problems,
      };
      return { origin: "files of this call", facts };
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
});

/** @throws {McpError} `ERR_ARGUMENT` */
function requireFiles(entries: readonly (readonly [string, string])[]): void {
  const size = entries.reduce((sum, [, text]) => sum + text.length, 0);
  if (entries.length === 0 || entries.length > MOST_FILES || size > MOST_CHARACTERS) {
    const message = `files are 1 to ${MOST_FILES} texts of ${MOST_CHARACTERS} characters together`;
    throw new McpError("ERR_ARGUMENT", message);
  }
  if (entries.every(([name]) => NAME.test(name))) return;
  throw new McpError(
    "ERR_ARGUMENT",
    "a file is named like nebula.toml or 01-parser.md, without a folder",
  );
}
