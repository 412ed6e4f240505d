import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atlas, atlasJson, atlasPlace, reviewed } from "./atlas/harness.ts";
import { remoteHead, withRemote } from "./atlas/remote.ts";
import { folder, git, lastRecord, place, quasar } from "./harness.ts";

/** Agents of which the coder works and meddles, by a command of the shell. */
function meddling(meddle: string): readonly string[] {
  const script = join(folder(), "coder.sh");
  const work = "cat >/dev/null\necho work > work.txt\necho done";
  writeFileSync(script, `${work}\n{ ${meddle}; } >/dev/null\n`);
  const reviewer = "command:cat >/dev/null; echo APPROVED: fine";
  return ["--coder", `command:sh ${script}`, "--reviewer", reviewer];
}

/** The lines of a screen as one, however they are wrapped. */
const said = (text: string): string => text.replaceAll(/\s+/gu, " ");

const HOOK = "git hook .git/hooks/pre-commit: new";

test("a git hook that a coder plants does not run: exit 5, and what comes next is a command that works", async () => {
  for (const isAccepted of [false, true]) {
    const at = place();
    const ran = join(folder(), "ran");
    const hook = join(at.repo, ".git/hooks/pre-commit");
    const plant = `mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch ${ran}\\n' > ${hook}; chmod +x ${hook}`;
    const stopped = await quasar(at, ["run", "Write", ...meddling(plant)]);
    expect(stopped.code, stopped.stderr).toBe(5);
    expect(said(stopped.stdout)).toContain(`nothing is committed or pushed with it: ${HOOK}.`);
    expect(existsSync(ran)).toBe(false);

    const again = await quasar(at, ["resume", "--json"]);
    expect(lastRecord(again)).toMatchObject({
      exit: 5,
      message: expect.stringContaining(HOOK),
      next: [
        expect.stringMatching(/^git config --list --show-origin /u),
        expect.stringMatching(/^quasar resume \S+$/u),
        expect.stringMatching(
          /^quasar resume \S+ --accept-settings +# instead, if all of it is right$/u,
        ),
      ],
    });
    const shown = await quasar(at, ["show"]);
    expect(said(shown.stdout)).toContain(HOOK);
    const status = await quasar(at, ["status"]);
    expect(status.stdout).toMatch(/quasar resume \S+ --plan # says what stands in the way/u);
    const planned = await quasar(at, ["resume", "--plan"]);
    expect(planned.code).toBe(6);
    expect(said(planned.stdout)).toContain(HOOK);
    expect(planned.stdout).toMatch(/quasar resume \S+ --accept-settings/u);
    const accepting = await quasar(at, ["resume", "--plan", "--accept-settings"]);
    expect(accepting.code, accepting.stdout).toBe(0);

    if (!isAccepted) rmSync(hook);
    const accepts = isAccepted ? ["--accept-settings"] : [];
    const resumed = await quasar(at, ["resume", ...accepts]);
    expect(resumed.code, resumed.stdout).toBe(0);
    expect(said(resumed.stdout + resumed.stderr).includes("Accepted.")).toBe(isAccepted);
    expect(existsSync(ran)).toBe(isAccepted);
  }
});

test("atlas does not push where a coder has turned the remote, says so everywhere, and does once it is accepted", async () => {
  const at = withRemote(atlasPlace());
  const turned = join(at.outside, "turned");
  git(at, "init", "--quiet", "--bare", turned);
  const started = await atlas(at, [
    ...["start", "Add a file", "--template", "patch", "--use-local", "--validate", "true"],
    ...meddling(`git config remote.origin.pushurl ${turned}`),
  ]);
  const words = `pushed with it: remote.origin.pushurl: "${turned}"`;
  expect(started.code, started.stderr).toBe(9);
  expect(said(started.stdout)).toContain(words);
  expect(said((await atlas(at, ["status"])).stdout)).toContain(words);
  expect(said((await atlas(at, ["show"])).stdout)).toContain(words);
  expect(JSON.stringify(await atlasJson(at, ["status"]))).toContain("remote.origin.pushurl");

  const branch = "patch/add-a-file";
  const pushed = (bare: string): string => remoteHead({ ...at, bare }, branch);
  expect((await atlas(at, ["retry"])).code).toBe(0);
  expect((await atlas(at, ["resume"])).code).toBe(9);
  expect([pushed(at.bare), pushed(turned)]).toEqual(["", ""]);

  expect((await atlas(at, ["retry", "--accept-settings"])).code).toBe(0);
  const resumed = await atlas(at, ["resume"]);
  expect(resumed.code, resumed.stdout).toBe(0);
  expect(pushed(turned)).not.toBe("");
});

test("the git hook of atlas that comes and goes with another task stops neither a task nor a run", async () => {
  const at = atlasPlace();
  const flag = join(at.outside, "flag");
  const patch = ["--template", "patch", "--use-local", "--git-hooks", "off", "--max-fixes", "0"];
  const validate = ["--validate", `test -e '${flag}'`];
  const agents = meddling("true");
  expect((await atlas(at, ["start", "Add a file", ...patch, ...validate, ...agents])).code).toBe(9);
  await reviewed(at);
  const hook = join(at.repo, ".git/hooks/post-commit");
  expect(existsSync(hook)).toBe(true);

  writeFileSync(flag, "");
  expect((await atlas(at, ["retry", "add-a-file"])).code).toBe(0);
  const resumed = await atlas(at, ["resume", "add-a-file"]);
  expect(resumed.code, resumed.stdout).toBe(0);

  const run = await quasar(at, ["run", "Write", ...meddling(`rm ${hook}`)]);
  expect(run.code, run.stdout).toBe(0);
});
