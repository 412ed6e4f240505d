import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { expect, test } from "vitest";
import { packages } from "../src/workspace.ts";

/** `UPDATE_API=1` rewrites the reports; the diff then says in review what users will notice. */
const update = process.env["UPDATE_API"] === "1";

const entries = packages.flatMap((pkg) =>
  pkg.entries
    .filter(({ isInternal }) => !isInternal)
    .map((entry) => ({ ...entry, dir: pkg.dir, name: pkg.name })),
);

test.for(entries)("the public API of $specifier is the one in its report", (entry) => {
  expect(existsSync(entry.types), `${entry.types} is built`).toBe(true);
  const reportFolder = dirname(entry.report);
  mkdirSync(reportFolder, { recursive: true });
  const reportFileName = basename(entry.report);
  const reportTempFolder = mkdtempSync(join(tmpdir(), "quasar-api-"));
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: entry.dir,
      mainEntryPointFilePath: entry.types,
      apiReport: { enabled: true, reportFolder, reportTempFolder, reportFileName },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      compiler: { tsconfigFilePath: `${entry.dir}/tsconfig.build.json` },
      newlineKind: "lf",
      messages: {
        extractorMessageReporting: {
          "ae-missing-release-tag": { logLevel: ExtractorLogLevel.None },
          "ae-unresolved-link": { logLevel: ExtractorLogLevel.None },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: `${entry.dir}/package.json`,
  });
  const said: string[] = [];
  const result = Extractor.invoke(config, {
    localBuild: update,
    messageCallback: (message) => {
      message.handled = true;
      if (
        message.logLevel === ExtractorLogLevel.Error ||
        message.logLevel === ExtractorLogLevel.Warning
      ) {
        said.push(message.text);
      }
    },
  });
  rmSync(reportTempFolder, { recursive: true });
  const hint = `${basename(entry.dir)}: run pnpm api`;
  expect(result.apiReportChanged && !update, `${hint}\n${said.join("\n")}`).toBe(false);
});
