import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder, aPhase, MANIFEST } from "../../test/a-nebula.ts";
import { loadNebula } from "./load.ts";

test("each Markdown file directly in the folder is a phase, in the order of the names' bytes", () => {
  const dir = aFolder({
    "nebula.toml": MANIFEST,
    "b.md": aPhase("1"),
    "a.md": aPhase("2"),
    "B.md": aPhase("3"),
    "ä.md": aPhase("4"),
    "sub/c.md": "not read",
    "folder.md/x.md": "not read",
    "d.txt": "not read",
    "README.md": "not read",
    "_draft.md": "not read",
    ".#a.md": "not read",
    "e.MD": "not read",
    PAUSE: "",
  });
  const { spec, problems } = loadNebula(dir);
  expect(problems).toEqual([]);
  expect(spec?.phases.map(({ file }) => file)).toEqual(["B.md", "a.md", "b.md", "ä.md"]);
});

test("a nebula is found behind a link, and its folder is the real one", () => {
  const dir = aFolder({ "real/nebula.toml": MANIFEST, "real/a.md": aPhase("a") });
  symlinkSync("real", join(dir, "link"));
  expect(loadNebula(join(dir, "link"))).toMatchObject({
    dir: join(dir, "real"),
    spec: { name: "demo" },
  });
});

test("a folder without nebula.toml, a file and nothing are no nebulae", () => {
  const dir = aFolder({ "a.md": aPhase("a") });
  for (const path of [dir, join(dir, "a.md"), join(dir, "none")]) {
    expect(() => loadNebula(path)).toThrow(
      expect.objectContaining({ name: "NebulaError", code: "ERR_NO_NEBULA" }),
    );
  }
});

test("files that are links, too large or no text are problems, and the others are read", () => {
  const dir = aFolder({
    "nebula.toml": MANIFEST,
    "a.md": aPhase("a"),
    "b.md": new Uint8Array([0x2b, 0xff]),
    "c.md": "x".repeat(1024 * 1024 + 1),
    "d.md": aPhase("d", "", "x".repeat(1024 * 1024 - 100)),
  });
  symlinkSync("/dev/zero", join(dir, "e.md"));
  const { spec, problems } = loadNebula(dir);
  expect(spec).toBeUndefined();
  expect(problems.map(({ category, message }) => `${category}: ${message}`)).toEqual([
    "unreadable: b.md is not UTF-8 text",
    "unreadable: c.md is larger than 1 MiB",
    "unreadable: e.md is not a regular file",
  ]);
});

test("a nebula.toml that is a link is not followed", () => {
  const dir = aFolder({ "other.toml": MANIFEST, "a.md": aPhase("a") });
  symlinkSync("other.toml", join(dir, "nebula.toml"));
  expect(loadNebula(dir).problems).toMatchObject([
    { category: "unreadable", file: "nebula.toml", message: "nebula.toml is not a regular file" },
  ]);
  rmSync(join(dir, "nebula.toml"));
  mkdirSync(join(dir, "nebula.toml"));
  expect(() => loadNebula(dir)).toThrow(expect.objectContaining({ code: "ERR_NO_NEBULA" }));
});

test("more phases, or more text, than a nebula may have is an error", () => {
  const names = Array.from({ length: 10_001 }, (_, n) => `${n}.md`);
  const many = aFolder({
    "nebula.toml": MANIFEST,
    ...Object.fromEntries(names.map((name) => [name, ""])),
  });
  expect(loadNebula(many).problems[0]).toMatchObject({
    category: "too_many",
    message: "the nebula has 10001 phases, 10000 are the most",
  });
  const text = "x".repeat(1024 * 1024);
  const large = aFolder({
    "nebula.toml": MANIFEST,
    ...Object.fromEntries(names.slice(0, 65).map((name) => [name, text])),
  });
  expect(loadNebula(large).problems[0]).toMatchObject({
    category: "too_many",
    message: "the nebula has more than 64 MiB of text, which is the most",
  });
});

/** As the Go original's own nebulae are written. */
const OF_GO = {
  "nebula.toml": `[nebula]
name = "Token auth"
description = "Log in with tokens"

[defaults]
type = "feature"
priority = 2
labels = ["quasar", "auth"]
assignee = ""

[execution]
max_workers = 6
max_review_cycles = 5
max_budget_usd = 65.0
model = ""
gate = "trust"
hail_timeout = "5m"

[context]
repo = "github.com/example/app"
working_dir = "."
goals = [
    "Users log in with a token",
]
constraints = [
    "Standard library only",
]

[dependencies]
requires_beads = []
requires_nebulae = ["database"]
`,
  "01-model.md": `+++
id = "model"
title = "Add the token's model"
type = "task"
priority = 1
depends_on = []
+++

## Problem

There is no token.
`,
  "02-check.md": `+++
id = "check"
title = "Check tokens"
depends_on = ["model"]
scope = ["internal/auth/*.go"]
max_review_cycles = 3
+++

## Solution

\`\`\`toml
+++
\`\`\`
`,
  "03-docs.md": `+++
id = "docs"
title = "Describe tokens"
type = "task"
priority = 3
depends_on = ["model"]
scope = ["docs/", "README.md"]
allow_scope_overlap = true
+++

Write docs/tokens.md.
`,
  "nebula.state.toml": "version = 1\nnebula_name = 'Token auth'\n\n[phases]\n",
};

test("a nebula of the Go original is read without a warning", () => {
  const { spec, problems } = loadNebula(aFolder(OF_GO));
  expect(problems).toEqual([]);
  expect(spec).toMatchObject({
    name: "Token auth",
    execution: { maxWorkers: 6, maxBudgetUsd: 65, model: undefined, hailTimeoutMs: 300_000 },
    dependencies: { requiresNebulae: ["database"] },
    phases: [
      { id: "model", type: "task", priority: 1, labels: ["quasar", "auth"], dependsOn: [] },
      { id: "check", type: "feature", priority: 2, dependsOn: ["model"] },
      { id: "docs", priority: 3, body: "Write docs/tokens.md." },
    ],
  });
});
