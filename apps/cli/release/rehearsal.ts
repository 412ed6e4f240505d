import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { besideAnother } from "./beside-another.ts";
import { FIRST_STEPS } from "./first-steps.ts";
import { createHome } from "./home.ts";
import { typedUnder } from "./install-section.ts";
import { uninstalled, upgraded } from "./later-steps.ts";
import { processesIn } from "./leftovers.ts";
import { type Expected, expectTyped, type } from "./shell.ts";

/** What is done, and how it says what was seen. It rejects where that is not as expected. */
export type Step = readonly [name: string, take: () => Promise<string>];

export interface RehearsalOptions {
  /** Of the repository that is cloned. */
  readonly root: string;
  /** An empty folder, without links in its path. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** A release, from the clone to the uninstall, in the order of its steps. */
export function rehearsal({ root, scratch, signal }: RehearsalOptions): readonly Step[] {
  const clone = join(scratch, "quasar");
  const release = join(clone, "temp/release");

  // As whoever makes the release: packages come from what pnpm and npx have kept, where they have.
  const offline = { npm_config_prefer_offline: "true", pnpm_config_prefer_offline: "true" };
  const env = { ...process.env, ...offline };
  const typed = async (line: string, expected?: Expected, cwd = clone): Promise<string> =>
    expectTyped(await type(line, { cwd, env, signal }), expected).output.trim();

  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [install = "", pack = "", global = ""] = typedUnder(readme, "From a clone");
  const pnpm = install.replace(/ install$/u, "");
  const under = (heading: string): string => typedUnder(readme, heading).join("\n");

  const home = createHome(join(scratch, "home"), { signal });
  const others = createHome(join(scratch, "home-of-another-quasar"), { signal });

  const version = (): string =>
    (JSON.parse(readFileSync(join(clone, "apps/cli/package.json"), "utf8")) as { version: string })
      .version;
  const changesets = (): readonly string[] => globSync(".changeset/*.md", { cwd: clone });

  return [
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
        const before = version();
        if (changesets().length === 0) return `it is ${before}: there is no changeset`;
        await typed(`${pnpm} version-packages`);
        if (changesets().length > 0)
          throw new Error(`changesets are left: ${changesets().join(", ")}`);
        const changelogs = globSync("{apps,packages}/*/CHANGELOG.md", { cwd: clone });
        await typed(
          "git add --all && git -c user.name=R -c user.email=r@localhost commit -qm Release",
        );
        return `${before} became ${version()}, ${changelogs.length} changelogs`;
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
      "leftovers in temporary folders, and running processes",
      async () => {
        const files = [home, others].flatMap((one) => one.leftovers());
        if (files.length > 0) throw new Error(`files are left: ${files.join(", ")}`);
        const pids = processesIn(scratch);
        if (pids.length > 0) throw new Error(`processes are left: ${pids.join(", ")}`);
        return "nothing";
      },
    ],
  ];
}

function lastLine(text: string): string {
  return text.split("\n").at(-1) ?? "";
}
