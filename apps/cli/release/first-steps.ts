import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Home } from "./home.ts";

/** What somebody does first with the installed commands. */
export interface FirstStep {
  readonly name: string;
  /** What was seen, in a line. @throws {UnexpectedError} */
  readonly take: (home: Home) => Promise<string>;
}

export const FIRST_STEPS: readonly FirstStep[] = [
  {
    name: "quasar, quasar-loop and atlas --version",
    async take(home) {
      const version = /^\d+\.\d+\.\d+ \([0-9a-f]{10}\)\n$/u;
      const { output } = await home.expect("quasar --version", { prints: version });
      await home.expect("quasar-loop --version", { prints: output });
      await home.expect("atlas --version", { prints: output });
      return output.trim();
    },
  },
  {
    name: "quasar schema and atlas schema",
    async take(home) {
      for (const program of ["quasar", "quasar-loop", "atlas"]) {
        await home.expect(`${program} schema status`, { prints: /"status_line": \{\n/u });
      }
      const { output } = await home.expect("quasar schema", { prints: /^status\n/mu });
      return `${output.trim().split("\n").length} schemas of quasar`;
    },
  },
  {
    name: "quasar demo",
    async take(home) {
      const { output } = await home.expect("quasar demo", {
        prints: /^approved after 2 cycles$/mu,
      });
      return lineOf(output, /^approved .*/mu);
    },
  },
  {
    name: "quasar run, with commands as agents",
    async take(home) {
      const at = await repository(home, "with-quasar");
      const { output } = await home.expect(`quasar run "${TASK}" ${AGENTS}`, {}, at);
      await home.expect("git show HEAD:greeting.txt", { prints: "Hello\n" }, at);
      await home.expect("git rev-list --count HEAD", { prints: "2\n" }, at);
      await home.expect("git status --porcelain", { prints: "" }, at);
      return lineOf(output, /^approved .*/mu);
    },
  },
  {
    name: "atlas start, then approve",
    async take(home) {
      const at = await repository(home, "with-atlas");
      const validation = '--validate "grep -q Hello greeting.txt"';
      const start = `atlas start "${TASK}" --workspace greeting ${validation} ${AGENTS}`;
      await home.expect(start, { code: WAITS, prints: /^waits for you in step review$/mu }, at);
      const approve = "atlas approve greeting --yes";
      const { output } = await home.expect(approve, { prints: /^\s+state\s+completed$/mu }, at);
      const branch = `../${basename(at)}-greeting`;
      await home.expect(`git -C ${branch} show HEAD:greeting.txt`, { prints: "Hello\n" }, at);
      return lineOf(output, /^\s+state\s+.*/mu).replaceAll(/\s+/gu, " ");
    },
  },
];

/** Exit code of `atlas`: a person has to decide. */
const WAITS = 9;

const TASK = "Write a greeting";
const AGENTS = '--coder "command:sh ~/coder.sh" --reviewer "command:sh ~/reviewer.sh"';

const CODER = `cat > /dev/null
echo Hello > greeting.txt
echo The greeting is written.
`;
const REVIEWER = `cat > /dev/null
grep -q Hello greeting.txt && echo APPROVED: it greets.
`;

/** A repository with a commit, and agents that are scripts. */
async function repository(home: Home, name: string): Promise<string> {
  const dir = join(home.dir, name);
  mkdirSync(dir);
  writeFileSync(join(home.dir, "coder.sh"), CODER);
  writeFileSync(join(home.dir, "reviewer.sh"), REVIEWER);
  await home.expect("git init -q -b main && git commit -q --allow-empty -m Start", {}, dir);
  return dir;
}

function lineOf(output: string, pattern: RegExp): string {
  return pattern.exec(output)?.[0].trim() ?? "";
}
