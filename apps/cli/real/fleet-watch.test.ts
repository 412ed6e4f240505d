import { hostname } from "node:os";
import { fit } from "@quasar/runs/text";
import { expect, test } from "vitest";
import { Terminal } from "../test/cockpit/terminal.ts";
import { git, quasar, start } from "../test/harness.ts";
import { APPROVAL, LONG, type Turn } from "../test/scripts.ts";
import { aFleet, aMachine } from "./fleet-machines.ts";

// With the server that `npm ci --prefix packages/fleet/real --ignore-scripts` has installed, or one that is named.

const TURNS: readonly Turn[] = [
  { role: "coder", match: "Body of slow", text: "Never.", delayMs: LONG },
  { role: "coder", match: "Body of gated", text: "Done.", files: { "gated.txt": "gated\n" } },
  { role: "reviewer", text: APPROVAL },
];

test("a nebula is watched and decided from anywhere, and reported with its machines", async () => {
  const keys = { gated: 'gate = "review"' };
  const { user, url, depot, submit } = await aFleet({ phases: ["gated", "slow"], keys });
  const machine = aMachine({ user, name: "one", turns: TURNS });
  machine.work("--fleet", url, "--depot", depot, "--max", "2");
  expect(await submit()).toMatchObject({ code: 0 });
  // Outside of any repository.
  const anywhere = { ...user, repo: user.outside };
  const over = ["--fleet", url] as const;
  const log = start(anywhere, ["watch", "demo", ...over]);
  expect(await log.sees(/gated +waits for you/u)).toBe(true);
  const screen = new Terminal(anywhere, { columns: 120, rows: 40 });
  screen.quasar("watch", "demo", ...over);
  const name = fit(hostname(), 13);
  await screen.until(() => {
    const row = screen.text().match(/^.* > slow .*$/mu)?.[0] ?? "";
    return row.includes("at work") && row.includes(name);
  });
  await screen.until("! 1 needs you");
  await screen.until("git diff ");
  const [, tip = ""] = /git fetch \S+\W+([0-9a-f]{40})/u.exec(screen.text()) ?? [];
  const [, from = "", to = ""] =
    /git diff ([0-9a-f]{12}) ([0-9a-f]{12})/u.exec(screen.text()) ?? [];
  git(user, "fetch", "--quiet", depot, tip);
  expect(git(user, "diff", "--name-only", from, to)).toBe("gated.txt");
  screen.type("a");
  await screen.until("Sure?");
  screen.type("y");
  await screen.until("gated: accepted; the machine with the lane takes it");
  await screen.until(/v gated +[0-9a-f]{7}/u);
  screen.type("q");
  await screen.prompt(0);
  expect(screen.isUsual()).toBe(true);
  expect(await log.sees(/gated +landed/u)).toBe(true);
  const report = await quasar(anywhere, ["report", "demo", ...over]);
  const row = report.stdout.split("\n").find((each) => each.startsWith("| `gated` | landed |"));
  expect(row).toContain(`\`${hostname().slice(0, 39)}`);
});
