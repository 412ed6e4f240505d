import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** The licences of what bundles hold. */
export const LICENSES_FILE = "THIRD-PARTY-LICENSES.md";

/**
 * Writes the licences of all packages that the bundles of a build hold into a file beside them, those included that a
 * module of this workspace has beside itself. The build fails where a package has no licence text.
 */
export function bundledLicenses(): Plugin {
  const sections = new Map<string, string>();
  return {
    name: "bundled-licenses",
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(({ metafile }) => {
        const outputs = Object.values(metafile?.outputs ?? {});
        for (const module of outputs.flatMap(({ inputs }) => Object.keys(inputs))) {
          for (const [heading, text] of sectionsOf(module)) sections.set(heading, text);
        }
        const texts = [...sections.keys()].toSorted().map((heading) => sections.get(heading));
        const { outdir = "" } = build.initialOptions;
        mkdirSync(outdir, { recursive: true }); // The bundles are written after it.
        writeFileSync(join(outdir, LICENSES_FILE), [HEAD, ...texts].join("\n"));
      });
    },
  };
}

const HEAD = "# Licences of bundled packages\n";

/** The sections of the file for a module that is in a bundle, by their headings. */
function sectionsOf(module: string): readonly Section[] {
  const [, root, name = ""] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//u.exec(module) ?? [];
  if (root !== undefined) return [sectionOf(name, root)];
  const own = join(dirname(module), LICENSES_FILE);
  if (!existsSync(own)) return [];
  const [, ...sections] = readFileSync(own, "utf8").split(/^(?=## )/mu);
  return sections.map((text) => [text.split("\n", 1)[0] ?? "", `${text.trimEnd()}\n`]);
}

type Section = readonly [heading: string, text: string];

function sectionOf(name: string, root: string): Section {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { version, license } = manifest as Readonly<Record<string, unknown>>;
  const texts = licenceTexts(name, root);
  if (texts.length === 0) throw new Error(`${name} has no licence text: ${root}`);
  const heading = `## ${name} - ${String(version)} (${String(license)})`;
  return [heading, `${[heading, ...texts].join("\n\n")}\n`];
}

/** Of packages that name their licence and leave its text out: with the notice that stands in their files. */
const OURS = join(import.meta.dirname, "../texts");

function licenceTexts(name: string, root: string): readonly string[] {
  const own = globSync("{LICEN[CS]E,licen[cs]e,NOTICE}*", { cwd: root }).toSorted();
  const paths = own.length > 0 ? own.map((file) => join(root, file)) : [join(OURS, `${name}.txt`)];
  return paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, "utf8").trim());
}
