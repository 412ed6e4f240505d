import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { missing } from "../../src/blackbox/needs.ts";
import { agents, ATLAS, git, makePlace, quasar, removePlace } from "../../src/blackbox/place.ts";

const skipped = missing("strace");
if (skipped !== undefined) console.warn(skipped);

test.skipIf(skipped !== undefined)(
  "ignored work of a workspace is durable before its work tree is removed",
  { timeout: 120_000 },
  async () => {
    const at = makePlace("ignored");
    onTestFinished(() => removePlace(at));
    writeFileSync(join(at.repo, ".gitignore"), "lib/\n");
    git(at, "add", "--all");
    git(at, "-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "-qm", "Ignore");
    const turns = [
      { role: "coder", match: "Step: analyze", text: "The cause is found." },
      { role: "coder", text: "Fixed.", files: { "lib/a.txt": "right\n", "a.txt": "two\n" } },
      { role: "reviewer", text: "APPROVED: right.\n\nREPORT:\nSATISFACTION: high\nRISK: low\n" },
    ];
    const start = ["start", "fix it", "--template", "bugfix", "--validate", "true"];
    const started = await quasar(at, [...start, ...agents(at, turns)], { main: ATLAS });
    expect(started.code, started.stderr).toBe(9);
    await quasar(at, ["approve", "--yes", "--accept-ignored"], { main: ATLAS });

    const log = join(at.root, "calls");
    const ended = await quasar(at, ["workspace", "destroy", "fix-it", "--yes"], {
      main: ATLAS,
      under: ["strace", "-f", "-y", "-s", "400", "-qq", "-e", "trace=fsync,execve", "-o", log],
    });
    expect(ended.code, ended.stderr).toBe(0);
    const [before = "", after] = readFileSync(log, "utf8").split('"worktree", "remove"', 2);
    expect(after, "the work tree is removed by git").toBeDefined();
    const synced = [...before.matchAll(/fsync\(\d+<[^>]*\/fix-it(\/?[^>]*)>/gu)].map(
      ([, path]) => path,
    );
    const kept = ["", "/ignored", "/ignored/lib", "/ignored/lib/a.txt"];
    expect(synced).toEqual(expect.arrayContaining(kept));
  },
);
