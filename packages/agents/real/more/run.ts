// Installs real agent CLIs, each in a folder of its own, and runs their tests: run.ts <agent> …, all without one.
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const TESTS = {
  opencode: "opencode.test.ts",
  gemini: "acp.test.ts",
  qwen: "qwen.test.ts",
  copilot: "acp.test.ts",
} as const;
type Name = keyof typeof TESTS;

/** What a package does after it is installed, where it has to; other packages' scripts are not run. */
const AFTER_INSTALL: Readonly<Partial<Record<Name, readonly [folder: string, script: string]>>> = {
  opencode: ["opencode-ai", "postinstall.mjs"],
};

const isName = (name: string): name is Name => Object.hasOwn(TESTS, name);

function run(cwd: string, command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { cwd, stdio: "inherit" });
}

function install(name: Name): void {
  const folder = join(import.meta.dirname, name);
  // Not `npm ci`: a registry may lack the packages of other systems, which a lock file then cannot name.
  run(folder, "npm", "install", "--no-save", "--ignore-scripts");
  const [inside, script] = AFTER_INSTALL[name] ?? [];
  if (inside === undefined || script === undefined) return;
  run(join(folder, "node_modules", inside), process.execPath, script);
}

const asked = process.argv.slice(2);
const names = asked.length === 0 ? (Object.keys(TESTS) as Name[]) : asked.filter(isName);
if (names.length < asked.length)
  throw new Error(`real agents are ${Object.keys(TESTS).join(", ")}`);
names.forEach(install);
process.env["REAL_AGENTS"] = names.join(" ");
const files = [...new Set(names.map((name) => join("real/more", TESTS[name])))];
const root = join(import.meta.dirname, "..", "..");
const vitest = join(root, "node_modules", ".bin", "vitest");
run(root, vitest, "run", "--config", "vitest.more.config.ts", ...files);
