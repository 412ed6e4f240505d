import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listTasks } from "@quasar/tasks";
import { afterAll, beforeAll, test } from "vitest";
import { answerOf, SHORT_TASK, TASK, turnOf } from "./screens/model.ts";
import { lasting } from "./screens/same.ts";
import { DIR, firstPhaseWorks, writeNebula } from "./screens/nebula.ts";
import { aSession, type Session } from "./screens/session.ts";

// What a newcomer sees of the installed commands: docs/screens, of which UPDATE_DOCS=1 rewrites what differs.

const release = mkdtempSync(join(tmpdir(), "quasar-screens-"));
const pack = fileURLToPath(new URL("../release/pack.ts", import.meta.url));

beforeAll(() => void execFileSync(process.execPath, [pack, release]));
afterAll(() => rmSync(release, { recursive: true }));

const nodeOf = (major: number): string => {
  const args = ["-y", "-p", `node@${major}`, "which", "node"];
  return execFileSync("npx", args, { encoding: "utf8" }).trim();
};

const cases = [24, 22].flatMap((major) =>
  (["terminal", "piped"] as const).map((output) => ({ major, output })),
);

/** The screens by their files, without what differs each time: as they are kept, and as they were. */
function screensOf(session: Session, which: "kept" | "shown"): Readonly<Record<string, string>> {
  return Object.fromEntries(session.compared().map((one) => [one.file, lasting(one[which])]));
}

test.concurrent.for(cases)(
  "quasar's screens are as they are kept: Node $major, $output",
  async ({ major, output }, { expect, onTestFinished }) => {
    const [working, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const session = await aSession({
      ...{ node: nodeOf(major), release, agents: ["claude", "codex"], output },
      script: (repo) => (request) => {
        const answer = answerOf(request, repo);
        // The coder's second turn, once it has written a file.
        if (turnOf(request) !== "coder 2" || request.step !== 1) return answer;
        working.resolve();
        return { ...answer, after: released.promise };
      },
    });
    onTestFinished(session.close);
    const isPiped = output === "piped";

    await session.shows("version", "quasar --version");
    await session.shows("doctor", "quasar doctor");
    await session.shows("demo", "quasar demo");
    if (isPiped) await session.shows("init", "quasar init --yes");
    else await session.shows("init", "quasar init", { answers: "y" });

    const run = session.type(`quasar run "${TASK}"`);
    await run.sees("cycle 1");
    const log = session.type("quasar log -f");
    await working.promise;
    await run.sees("total.test.js");
    await log.sees("total.test.js");
    await session.shows("status-running", "quasar status");
    run.kill();
    await run.finished;
    session.keep("run-killed", run);
    await session.shows("status-killed", "quasar status");
    const resume = session.type("quasar resume");
    await resume.sees("reattached");
    await log.sees("reattached");
    released.resolve();
    expect(await resume.finished, resume.screen()).toBe(0);
    session.keep("resume", resume);
    expect(await log.finished).toBe(0);
    session.keep("log-follow", log);

    for (const name of ["status", "list", "show", "log", "diff", "cost"]) {
      await session.shows(name, `quasar ${name}`);
    }
    await session.shows("show-turn", "quasar show 2");
    await session.shows("run-refused", `quasar run "${SHORT_TASK}" --max-budget 0.01`, { code: 4 });
    writeFileSync(join(session.repo, ".git", "index.lock"), "");
    await session.shows("doctor-problem", "quasar doctor", { code: 1 });
    rmSync(join(session.repo, ".git", "index.lock"));
    const agents = "--coder codex --reviewer codex";
    await session.shows("run-codex", `quasar run "${SHORT_TASK}" ${agents}`);
    expect(screensOf(session, "shown")).toEqual(screensOf(session, "kept"));
  },
);

/** The work tree of the one task. */
function workTreeOf(home: string): string {
  const [task] = listTasks(join(home, ".atlas"));
  const hook = readFileSync(join(task?.dir ?? "", "hook.json"), "utf8");
  return (JSON.parse(hook) as { readonly worktree_path: string }).worktree_path;
}

test.concurrent.for(cases)(
  "atlas's screens are as they are kept: Node $major, $output",
  async ({ major, output }, { expect, onTestFinished }) => {
    const session = await aSession({
      ...{ node: nodeOf(major), release, agents: ["claude"], output },
      script: (_, home) => (request) => answerOf(request, workTreeOf(home)),
    });
    onTestFinished(session.close);

    await session.shows("atlas-doctor", "atlas doctor");
    await session.shows("atlas-init", "atlas init --yes");
    session.git("add", ".atlas", "CLAUDE.md");
    session.git("commit", "--quiet", "--message=Add atlas settings");
    await session.shows("atlas-start", `atlas start "${TASK}"`, { code: 9 });
    for (const name of ["status", "list", "show", "log", "diff", "cost"]) {
      await session.shows(`atlas-${name}`, `atlas ${name}`);
    }
    await session.shows("atlas-show-turn", "atlas show implement-1.1");
    if (output === "piped") await session.shows("atlas-approve", "atlas approve --yes");
    else await session.shows("atlas-approve", "atlas approve", { answers: "y" });
    await session.shows("atlas-status-approved", "atlas status");
    expect(screensOf(session, "shown")).toEqual(screensOf(session, "kept"));
  },
);

test.concurrent.for(cases)(
  "a nebula's screens are as they are kept: Node $major, $output",
  async ({ major, output }, { expect, onTestFinished }) => {
    const agents = [] as const; // None is asked: they are scripted.
    const script = () => () => ({});
    const session = await aSession({ node: nodeOf(major), release, agents, output, script });
    onTestFinished(session.close);
    writeNebula(session.repo, session.home);
    const isPiped = output === "piped";
    const [trusted, plain] = isPiped ? [" --trust-config", ""] : ["", " --plain"];

    await session.shows("nebula-validate", `quasar nebula validate ${DIR}`);
    await session.shows("nebula-plan", `quasar nebula plan ${DIR}`);
    const apply = session.type(`quasar nebula apply ${DIR} --auto${trusted}${plain}`);
    if (!isPiped) {
      await apply.sees("[y/N]");
      apply.answer("y\n");
    }
    await firstPhaseWorks(session.repo);
    await session.shows("nebula-status-running", "quasar nebula status");
    apply.kill();
    await apply.finished;
    session.keep("nebula-apply-killed", apply);
    await session.shows("nebula-status-killed", "quasar nebula status");
    const resume = `quasar nebula apply ${DIR} --auto --resume${plain}`;
    await session.shows("nebula-apply-waits", resume, { code: 5 });
    await session.shows("nebula-status-waits", "quasar nebula status --all");
    await session.shows("nebula-diff", "quasar nebula diff less --landed");
    await session.shows("nebula-approve", "quasar nebula approve less");
    await session.shows("nebula-apply-done", resume);
    await session.shows("nebula-status-done", "quasar nebula status shop");
    await session.shows("nebula-log", "quasar nebula log shop");
    await session.shows("nebula-demo", "quasar nebula demo");
    expect(screensOf(session, "shown")).toEqual(screensOf(session, "kept"));
  },
);
