import {
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sendSignal } from "@quasar/process";
import { besideAnother } from "./beside-another.ts";
import { FIRST_STEPS } from "./first-steps.ts";
import { createHome } from "./home.ts";
import { typedUnder } from "./install-section.ts";
import { uninstalled, upgraded } from "./later-steps.ts";
import { processesIn } from "./leftovers.ts";
import { type Expected, expectTyped, type } from "./shell.ts";

// Makes a release in a clone, and uses it as somebody does who has nothing else. Publishes nothing.
//
// Usage: node --conditions=@quasar/source release/rehearse.ts

const root = fileURLToPath(new URL("../../../", import.meta.url));
const scratch = mkdtempSync(join(realpathSync(tmpdir()), "quasar-rehearsal-"));
const clone = join(scratch, "quasar");
const release = join(clone, "temp/release");
const stop = new AbortController();
const { signal } = stop;

/** As whoever makes the release: packages come from what pnpm and npx have kept, where they have. */
const env = {
  ...process.env,
  npm_config_prefer_offline: "true",
  pnpm_config_prefer_offline: "true",
};
const typed = async (line: string, expected?: Expected, cwd = clone): Promise<string> =>
  expectTyped(await type(line, { cwd, env, signal }), expected).output.trim();

const readme = readFileSync(join(root, "README.md"), "utf8");
const [install = "", pack = "", global = ""] = typedUnder(readme, "From a clone");
const pnpm = install.replace(/ install$/u, "");
const under = (heading: string): string => typedUnder(readme, heading).join("\n");

const home = createHome(join(scratch, "home"), signal);
const others = createHome(join(scratch, "home-of-another-quasar"), signal);

const versionOf = (path: string): string =>
  (JSON.parse(readFileSync(join(clone, path, "package.json"), "utf8")) as { version: string })
    .version;

const changesets = (): readonly string[] => globSync(".changeset/*.md", { cwd: clone });

/** What is done, and how it says what was seen. */
type Step = readonly [name: string, take: () => Promise<string>];

const STEPS: readonly Step[] = [
  [
    "git clone",
    async () => {
      await typed(`git clone --quiet --no-tags "${root}" "${clone}"`, {}, scratch);
      const open = await typed("git status --porcelain", {}, root);
      const head = await typed("git log -1 --format='%h %s'");
      return open === "" ? head : `${head}; what is not committed is not in it`;
    },
  ],
  [install, async () => lastLine(await typed(install))],
  [
    `${pnpm} version-packages`,
    async () => {
      const before = versionOf("apps/cli");
      if (changesets().length === 0) return `it is ${before}: there is no changeset`;
      await typed(`${pnpm} version-packages`);
      if (changesets().length > 0)
        throw new Error(`changesets are left: ${changesets().join(", ")}`);
      const changelogs = globSync("{apps,packages}/*/CHANGELOG.md", { cwd: clone });
      await typed(
        "git add --all && git -c user.name=R -c user.email=r@localhost commit -qm Release",
      );
      return `${before} became ${versionOf("apps/cli")}, ${changelogs.length} changelogs`;
    },
  ],
  [
    `${pnpm} install --frozen-lockfile`,
    async () => {
      await typed(`${pnpm} install --frozen-lockfile --offline`);
      return "the lockfile fits, without a registry";
    },
  ],
  [
    pack,
    async () => {
      await typed(pack);
      const files = readdirSync(release).toSorted();
      const bytes = files.reduce((sum, name) => sum + statSync(join(release, name)).size, 0);
      return `${files.join(", ")}: ${Math.round(bytes / 1000)} kB`;
    },
  ],
  [
    `${pnpm} lint`,
    async () => {
      await typed(`${pnpm} lint`);
      return "nothing is wrong, changelogs included";
    },
  ],
  [
    "tests that read versions, changesets and pages",
    async () => {
      const vitest = (where: string, files: string): string =>
        `${pnpm} --filter ${where} exec vitest run ${files}`;
      await typed(vitest("@quasar/proofs", "test/readme.test.ts"));
      await typed(vitest("@quasar/cli", "test/readme.test.ts test/atlas-walk-through.test.ts"));
      return "they pass";
    },
  ],
  [
    global,
    async () => {
      await home.expect(global, {}, clone);
      return readdirSync(home.bin).toSorted().join(", ");
    },
  ],
  ...FIRST_STEPS.map(({ name, take }): Step => [name, () => take(home)]),
  [
    "the same beside another package's quasar",
    () => besideAnother(others, under("Beside another `quasar`"), release),
  ],
  ["upgrade", () => upgraded(home, under("Upgrade"), release)],
  ["uninstall", () => uninstalled(home, under("Uninstall"))],
  [
    "what is left in temporary folders, and running",
    async () => {
      const files = [home, others].flatMap((one) => one.leftovers());
      if (files.length > 0) throw new Error(`files are left: ${files.join(", ")}`);
      const pids = processesIn(scratch);
      if (pids.length > 0) throw new Error(`processes are left: ${pids.join(", ")}`);
      return "nothing";
    },
  ],
];

function lastLine(text: string): string {
  return text.split("\n").at(-1) ?? "";
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

async function rehearse(): Promise<void> {
  const start = performance.now();
  for (const [name, take] of STEPS) {
    const begun = performance.now();
    process.stdout.write(`${name}\n`);
    const seen = await take();
    process.stdout.write(`${seconds(performance.now() - begun).padStart(9)}  ${seen}\n`);
  }
  console.log(`The release works. Nothing was published. ${seconds(performance.now() - start)}`);
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
for (const [name, code] of Object.entries(SIGNALS)) {
  process.once(name, () => {
    process.exitCode = code;
    stop.abort(new Error(`stopped by ${name}`));
  });
}

try {
  await rehearse();
} catch (error) {
  process.exitCode ??= 1;
  const message = error instanceof Error ? error.message : String(error);
  console.error(`\nerror: ${message}`);
  if (!signal.aborted) console.error("  next     repair it, commit, and pnpm release:rehearse");
} finally {
  for (const pid of processesIn(scratch)) sendSignal(pid, "SIGKILL");
  rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });
}
