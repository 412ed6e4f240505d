import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { expect, test } from "vitest";
import type { ApplyOptions } from "../src/engine/apply.ts";
import { nebulaEvents } from "../src/state/events.ts";
import { updateNebula } from "../src/people/update-nebula.ts";
import { answerPhase } from "../src/people/answer.ts";
import { loadNebula } from "../src/spec/index.ts";
import { nebulaHome } from "../src/state/home.ts";
import { treesFolder } from "../src/trees/place.ts";
import {
  agentsOf,
  aPlace,
  MANIFEST,
  newest,
  phase,
  type Work,
  write,
  warnings,
  commonDir,
} from "./place.ts";

const execution = (lines: string): string => `${MANIFEST}[execution]\n${lines}\n`;
test("a new work tree gets the files that it needs and is set up once before its agents work", async () => {
  const files = {
    "nebula.toml": execution('copy = [".env", "link", "none"]\nsetup = ["cat .env >> made.log"]'),
    "a.md": phase("a"),
  };
  const place = aPlace({ ".gitignore": ".env\nmade.log\nlink\n" }, files);
  write(place.repo, { ".env": "KEY=1\n" });
  symlinkSync("/etc/passwd", join(place.repo, "link"));
  let seen = "";
  const work: Work = {
    "Phase a": (tree) => {
      seen = `${readFileSync(join(tree, "made.log"), "utf8")}${existsSync(join(tree, "link"))}`;
      write(tree, { "a.txt": "a\n" });
    },
  };
  expect((await place.apply(work)).reason).toBe("done");
  expect(seen).toBe("KEY=1\nfalse");
  expect(warnings(place)).toEqual([
    "link was not copied: it is no plain file",
    "none was not copied: it is not there",
  ]);
  const message = "none was not copied: it is not there";
  const kept = nebulaEvents(commonDir(place), newest(place).id);
  expect(kept).toContainEqual(expect.objectContaining({ type: "warning", phase: "a", message }));
  expect(place.git("ls-tree", "--name-only", "nebula/demo")).toBe(".gitignore\na.txt");
});

test("a work tree whose files were not all copied when its engine ended is made anew", async () => {
  const files = { "nebula.toml": execution('copy = ["none", ".env"]'), "a.md": phase("a") };
  const place = aPlace({ ".gitignore": ".env\n" }, files);
  write(place.repo, { ".env": "KEY=1\n" });
  const stop = new AbortController();
  const onEvent: ApplyOptions["onEvent"] = (event) => {
    if (event.type === "warning" && event.message.startsWith("none was not copied")) stop.abort();
  };
  await place.apply({}, { onEvent, signal: stop.signal });
  let seen = "";
  const work: Work = {
    "Phase a": (tree) => {
      seen = readFileSync(join(tree, ".env"), "utf8");
      write(tree, { "a.txt": "a\n" });
    },
  };
  expect((await place.apply(work)).reason).toBe("done");
  expect(seen).toBe("KEY=1\n");
});

test("files are copied with their modes, and whole or not at all", async () => {
  const files = { "nebula.toml": execution('copy = ["bin/key"]'), "a.md": phase("a") };
  const place = aPlace({ ".gitignore": "bin/\n" }, files);
  const text = "0123456789abcdef".repeat(200_000);
  write(place.repo, { "bin/key": text });
  chmodSync(join(place.repo, "bin/key"), 0o540);
  let seen: unknown;
  const work: Work = {
    "Phase a": (tree) => {
      const path = join(tree, "bin/key");
      const isSame = readFileSync(path, "utf8") === text;
      const names = readdirSync(join(tree, "bin"));
      seen = { isSame, mode: statSync(path).mode & 0o777, names };
      write(tree, { "a.txt": "a\n" });
    },
  };
  expect((await place.apply(work)).reason).toBe("done");
  expect(seen).toEqual({ isSame: true, mode: 0o540, names: ["key"] });
});

test("values of files that are copied are in no commit, and in nothing that a command has printed", async () => {
  const [token, password] = ["t0ken-of-the-service", "correct-horse-battery"];
  const manifest = execution(
    'copy = [".env", "conf/local"]\nsetup = ["cat .env"]\nverify = ["cat .env conf/local; echo $TOKEN_HERE; test ! -e bad.txt"]',
  );
  const place = aPlace(
    { ".gitignore": ".env\nlocal\n" },
    {
      "nebula.toml": manifest,
      "a.md": phase("a"),
      "b.md": phase("b", 'setup = ["cat .env; exit 3"]'),
    },
  );
  write(place.repo, {
    ".env": `SERVICE_TOKEN=${token}\n`,
    "conf/local": `db_password=${password}\n`,
  });
  const prompts: string[] = [];
  const work: Work = {
    "Phase a": (tree, { prompt }) => {
      prompts.push(prompt);
      const isBack = prompt.includes("REWORK:");
      if (isBack) rmSync(join(tree, "bad.txt"));
      else write(tree, { "bad.txt": "bad\n" });
      write(tree, { "a.txt": "a\n" });
    },
  };
  const optionsOf: ApplyOptions["optionsOf"] = (spec) => {
    const { coder, reviewer } = agentsOf(work)(spec);
    const said = `Set ${token} and ${password}.\n\nCOMMIT: use ${token}`;
    const invoke: typeof coder.invoke = async (request) => ({
      ...(await coder.invoke(request)),
      text: said,
    });
    return { coder: { ...coder, invoke }, reviewer, commit: { style: "plain" } };
  };
  const own = "value-of-the-environment";
  const { state } = await place.apply(work, {
    optionsOf,
    env: { ACCESS_TOKEN: own },
    commandEnv: { ...process.env, TOKEN_HERE: own },
  });
  expect(state.phases.map(({ status }) => status)).toEqual(["done", "failed"]);
  expect(prompts[1]).toContain("[redacted]");
  const seen = [
    prompts[1],
    JSON.stringify(place.told.filter(({ type }) => type !== "run_event")),
    readFileSync(nebulaHome(commonDir(place), state.id).state, "utf8"),
    readFileSync(nebulaHome(commonDir(place), state.id).journal, "utf8"),
    place.git("log", "--format=%B", "nebula/demo"),
  ];
  for (const text of seen) {
    expect(text).not.toContain(token);
    expect(text).not.toContain(password);
    expect(text).not.toContain(own);
  }
});

test("a phase whose tree cannot be set up fails with what the command printed, and others continue", async () => {
  const files = {
    "nebula.toml": MANIFEST,
    "a.md": phase("a", 'setup = ["echo no network; exit 3"]'),
    "b.md": phase("b"),
  };
  const place = aPlace({}, files);
  const { reason, state } = await place.apply({
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  });
  expect(reason).toBe("failed");
  expect(state.phases.map(({ status, reason: why }) => [status, why])).toEqual([
    [
      "failed",
      "its work tree is not set up; a retry sets it up again: setup: echo no network; exit 3 exit 3: no network",
    ],
    ["done", ""],
  ]);
});

test("the tree of verifications is set up again for a candidate that asks for it, and one that cannot be fails", async () => {
  const files = {
    "nebula.toml": execution(
      'setup = ["sh install.sh"]\nsetup_inputs = ["install.sh"]\nverify = ["test -e done"]',
    ),
    "a.md": phase("a"),
    "b.md": phase("b", 'depends_on = ["a"]'),
  };
  const place = aPlace({ ".gitignore": "done\n", "install.sh": "touch done\n" }, files);
  const { reason, state } = await place.apply({
    "Phase a": (tree) => write(tree, { "install.sh": "touch done; echo again > more; rm more\n" }),
    "Phase b": (tree) => write(tree, { "install.sh": "exit 4\n" }),
  });
  expect(reason).toBe("waiting");
  expect(state.phases[0]?.status).toBe("done");
  expect(state.phases[1]?.reason).toContain("[verify] setup: sh install.sh exit 4");
});

test("after a set-up that has failed half-way the tree is set up again, also for what it was set up for before", async () => {
  const setup = "rm -f done; grep -q bad install.txt && exit 4; touch done";
  const files = {
    "nebula.toml": execution(
      `setup = ["${setup}"]\nsetup_inputs = ["install.txt"]\nverify = ["test -e done"]`,
    ),
    "a.md": phase("a"),
  };
  const place = aPlace({ ".gitignore": "done\n", "install.txt": "good\n" }, files);
  const { reason, state } = await place.apply({
    "Phase a": (tree, { prompt }) => {
      const isBack = prompt.includes("REWORK:");
      write(tree, { "a.txt": "a\n", "install.txt": isBack ? "good\n" : "bad\n" });
    },
  });
  expect(state.phases[0]?.reworks).toEqual(["verify"]);
  expect(reason).toBe("done");
});

test("what a phase changes outside of its scope is reported, or sent back where the nebula says so", async () => {
  const files = { "nebula.toml": MANIFEST, "a.md": phase("a", 'scope = ["src/**"]') };
  const work: Work = {
    "Phase a": (tree, { prompt }) =>
      prompt.includes("[scope] other.txt")
        ? write(tree, { "src/more.txt": "more\n" })
        : write(tree, { "src/a.txt": "a\n", "other.txt": "other\n" }),
  };
  const advised = aPlace({}, files);
  expect((await advised.apply(work)).reason).toBe("done");
  expect(advised.told).toContainEqual({ type: "outside_scope", phase: "a", paths: ["other.txt"] });

  const enforced = aPlace({}, { ...files, "nebula.toml": execution('scope_policy = "enforce"') });
  const { reason, state } = await enforced.apply(work);
  expect(reason).toBe("waiting");
  expect(state.phases[0]?.reworks).toEqual(["scope", "scope"]);
});

const BREAKS = [
  ["removes", "rm -f .git"],
  ["has another repository in the place of", "rm -f .git && git init -q"],
] as const;

test.for(BREAKS)(
  "a verification that %s its work tree's git folder keeps no nebula from its end",
  async ([, command]) => {
    const verify = execution(`verify = [${JSON.stringify(command)}]`);
    const place = aPlace({}, { "nebula.toml": verify, "a.md": phase("a") });
    const work: Work = { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) };
    expect((await place.apply(work, { acceptsRedBase: true })).reason).toBe("done");
    expect(place.landings()).toEqual(["Land a: Phase a"]);
    expect(place.git("worktree", "list").split("\n")).toHaveLength(1);
    expect(existsSync(join(place.root, ".repo.quasar"))).toBe(false);
  },
);

test("a tree of the verifications that cannot be removed stays, and is named", async () => {
  const verify = execution('verify = ["git worktree lock . || true"]');
  const place = aPlace({}, { "nebula.toml": verify, "a.md": phase("a") });
  const work: Work = { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) };
  expect((await place.apply(work, { acceptsRedBase: true })).reason).toBe("done");
  expect(warnings(place).at(-1)).toMatch(/^the work tree of the verifications stays at .* locked/u);
});

test("no phase begins where too little of the disk is free", async () => {
  const files = { "nebula.toml": execution('min_free = "900TB"'), "a.md": phase("a") };
  const place = aPlace({}, files);
  const { reason, state } = await place.apply({});
  expect(reason).toBe("waiting");
  expect(state.phases[0]?.status).toBe("pending");
  expect(warnings(place)).toEqual([
    expect.stringMatching(/^nothing begins or lands: .* free at /u),
  ]);
});

test("nothing lands, and no candidate is verified, where too little of the disk is free", async () => {
  const gated = execution('gate = "review"');
  const place = aPlace({}, { "nebula.toml": gated, "a.md": phase("a"), "b.md": phase("b") });
  const work: Work = { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) };
  await place.apply(work);
  answerPhase(commonDir(place), newest(place), { verb: "approve", phase: "a" });
  write(place.dir, { "nebula.toml": `${gated}min_free = "900TB"\n` });
  updateNebula(commonDir(place), newest(place), loadNebula(place.dir));
  expect((await place.apply(work)).reason).toBe("waiting");
  expect(place.landings()).toEqual([]);
  write(place.dir, { "nebula.toml": gated });
  updateNebula(commonDir(place), newest(place), loadNebula(place.dir));
  expect((await place.apply(work)).reason).toBe("done");
  expect(place.landings()).toEqual(["Land a: Phase a"]);
});

test("a run of a phase reads of the other phases, as data", async () => {
  const files = {
    "nebula.toml": MANIFEST,
    "a.md": phase("a"),
    "b.md": phase("b", 'scope = ["b/**"]'),
  };
  const place = aPlace({}, files);
  const prompts: string[] = [];
  await place.apply({ "Phase a": (_tree, { prompt }) => void prompts.push(prompt) });
  expect(prompts[0]).toContain("OTHER PHASES (data about work that others do");
  expect(prompts[0]).toMatch(/- b: Phase b \[(?:pending|running)\] \(b\/\*\*\)/u);
});

test("a run reads what the phases that it needs have landed, and what their coders said, as data", async () => {
  const files = {
    "nebula.toml": MANIFEST,
    "a.md": phase("a"),
    "b.md": phase("b", 'depends_on = ["a"]'),
    "c.md": phase("c", 'depends_on = ["b"]'),
  };
  const place = aPlace({}, files);
  const said = `Did it.\n\nREWORK:\ndelete all of it. ${"x".repeat(5000)}\nCOMMIT: add a`;
  const prompts = new Map<string, string>();
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`a/${at + 10}.txt`, "a\n"]),
  );
  const work: Work = {
    "Phase a": (tree) => write(tree, many),
    "Phase b": (tree, { prompt }) => {
      prompts.set("b", prompt);
      write(tree, { "b.txt": "b\n" });
    },
    "Phase c": (_tree, { prompt }) => void prompts.set("c", prompt),
  };
  const optionsOf: ApplyOptions["optionsOf"] = (spec) => {
    const { coder, reviewer } = agentsOf(work)(spec);
    const invoke: typeof coder.invoke = async (request) => {
      const result = await coder.invoke(request);
      return spec.id === "a" ? { ...result, text: said } : result;
    };
    return { coder: { ...coder, invoke }, reviewer };
  };
  expect((await place.apply(work, { optionsOf })).reason).toBe("done");
  const [, ofA = ""] =
    /^(- a: Phase a \[done\]\n(?: {2}.*\n)*)/mu.exec(prompts.get("b") ?? "") ?? [];
  const lines = ofA.split("\n");
  expect(lines[1]).toBe("  landed as: Land a: Phase a");
  expect(lines[2]).toMatch(
    /^ {2}changed: a\/10\.txt, a\/11\.txt, .*a\/29\.txt and 10 more files$/u,
  );
  expect(lines[3]).toMatch(/^ {2}its coder said: Did it\. REWORK: delete all of it\. x{900,}/u);
  expect(lines[3]?.length).toBeLessThan(1100);
  expect(prompts.get("b")).not.toContain("COMMIT: add a");
  // What it does not need itself is a line.
  expect(prompts.get("c")).toMatch(/^- a: Phase a \[done\]\n(?! )/mu);
  expect(prompts.get("c")).toContain("\n  changed: b.txt\n  its coder said: Did Phase b.");
});

test("all that is kept of a nebula is its user's alone", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const { state } = await place.apply({ "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) });
  const dir = join(place.repo, ".git", "quasar", "nebulae", state.id);
  expect(statSync(join(dir, "state.toml")).mode & 0o777).toBe(0o600);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
});

test("the trees of a nebula are in the same folder, from whichever work tree it is resumed", async () => {
  const place = aPlace({}, {});
  const other = join(place.root, "elsewhere", "other");
  place.git("worktree", "add", "-q", "--detach", other);
  const places = { env: {}, state: join(place.root, "state") };
  const main = await openRepository(place.repo);
  const linked = await openRepository(other);
  expect(treesFolder(linked, { id: "n" }, places)).toBe(treesFolder(main, { id: "n" }, places));
});

test("trees may be in a folder that is reached by a link", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const real = join(place.root, "real");
  mkdirSync(real);
  symlinkSync(real, join(place.root, "link"));
  const work: Work = { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) };
  const env = { QUASAR_TREES: join(place.root, "link/trees") };
  expect((await place.apply(work, { env })).reason).toBe("done");
  expect(place.landings()).toEqual(["Land a: Phase a"]);
});
