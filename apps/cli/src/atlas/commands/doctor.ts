import { openUser, openWorkspace } from "@quasar/runs/internal";
import { cacheFolder } from "@quasar/runs/own-folder";
import { jsonLine } from "@quasar/runs/text";
import { result } from "../../shared/output/json.ts";
import { findingLines, headLine, healthOf } from "../../shared/doctor/lines.ts";
import { lookAround } from "../../shared/doctor/surroundings.ts";
import { tried } from "../../shared/doctor/tried.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import type { Given } from "../command.ts";
import { loadConfig } from "../config/load.ts";
import { lookAtHome } from "../doctor/look-at-home.ts";
import { openInstallation } from "../installation.ts";
import type { DoctorLine } from "../schemas/others.ts";
import { translate } from "../translate.ts";

/** `atlas doctor`: what would stand in the way of a task, and how it stands with what is kept. */
export async function doctorCommand({ json }: Given): Promise<ExitCode> {
  const cwd = process.cwd();
  const installation = openInstallation();
  const { home } = installation;
  const tree = await tried("tree", translate, () => openWorkspace(cwd));
  const loading = { flags: {}, env: process.env, cwd, root: tree.value?.root, home, trust: false };
  const settings = await tried("settings", translate, () => loadConfig(loading).settings);
  const around = await lookAround({
    cwd,
    tree: tree.value,
    folders: [
      { what: "atlas home", path: home, isOwn: true, isSpare: false },
      { what: "state", path: openUser().folders.state, isOwn: true, isSpare: false },
      { what: "cache", path: cacheFolder(), isOwn: true, isSpare: true },
    ],
    settings: settings.value,
    name: "atlas",
    otherName: undefined,
    start: "atlas start",
    translate,
  });
  const kept = await lookAtHome(installation);
  const findings = [...tree.findings, ...settings.findings, ...around, ...kept];
  const health = healthOf(findings);
  const exit = health.left === 0 ? EXIT.ok : EXIT.error;
  if (json === true) {
    const facts = { home, surroundings: findings };
    const line = result("doctor", facts, exit) satisfies DoctorLine;
    process.stdout.write(jsonLine(line));
  } else {
    const view = viewOf(process.stdout);
    write(process.stdout, [headLine(health, view), ...findingLines(findings, view)]);
  }
  return exit;
}
