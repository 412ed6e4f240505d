import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { besideAnother } from "@quasar/cli/release/beside-another.ts";
import { FIRST_STEPS } from "@quasar/cli/release/first-steps.ts";
import { createHome } from "@quasar/cli/release/home.ts";
import { typedUnder } from "@quasar/cli/release/install-section.ts";
import { uninstalled, upgraded } from "@quasar/cli/release/later-steps.ts";
import { processesIn } from "@quasar/cli/release/leftovers.ts";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../src/workspace.ts";

// What is cheap of `pnpm release:rehearse`, which does the same with a release that it makes in a clone.

const scratch = mkdtempSync(join(realpathSync(tmpdir()), "quasar-install-"));
const release = join(scratch, "release");
const readme = readFileSync(join(root, "README.md"), "utf8");
const under = (heading: string): string => typedUnder(readme, heading).join("\n");
const home = createHome(join(scratch, "home"));

beforeAll(() => execa("node", [join(root, "apps/cli/release/pack.ts"), release]));

afterAll(() => rmSync(scratch, { recursive: true }));

test("the commands install from their tarballs, as the README says, without a registry", async () => {
  await home.expect(under("From a release"), { prints: /\n\d+\.\d+\.\d+ \(.*\)\n$/u }, release);
  expect(readdirSync(home.bin).toSorted()).toEqual(["atlas", "quasar", "quasar-loop"]);
});

test("what the README has typed in a clone packs the tarballs and installs all of them", () => {
  const scripts = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const [install, pack, global] = typedUnder(readme, "From a clone");
  expect(install).toMatch(/^npx .* pnpm install$/u);
  expect(pack).toBe(install?.replace(/install$/u, "pack:cli"));
  expect(scripts.scripts["pack:cli"]).toContain("node apps/cli/release/pack.ts");
  expect(global).toBe("npm install -g temp/release/*.tgz");
});

test.for(FIRST_STEPS)("installed, it works: $name", async ({ take }) => {
  expect(await take(home)).not.toBe("");
});

test("they install beside another package that owns quasar, as the README says", async () => {
  const others = createHome(join(scratch, "home-of-another-quasar"));
  expect(await besideAnother(others, under("Beside another `quasar`"), release)).not.toBe("");
});

test("the forwarder says what it needs where it stands alone", async () => {
  const lonely = createHome(join(scratch, "lonely-home"));
  await lonely.expect("npm install -g ./quasar-command-*.tgz", {}, release);
  const needs = { code: 1, prints: /npm install -g <the file quasar-loop-/u };
  await lonely.expect("quasar --version", needs);
  expect(readdirSync(lonely.bin)).toEqual(["quasar"]);
});

test("a newer release takes its place, as the README says, and shows what the older one did", async () => {
  expect(await upgraded(home, under("Upgrade"), release)).not.toBe("");
});

test("uninstalled as the README says, it leaves what runs have kept, and nothing else", async () => {
  expect(await uninstalled(home, under("Uninstall"))).not.toBe("");
  expect(home.leftovers()).toEqual([]);
  expect(processesIn(scratch)).toEqual([]);
});
