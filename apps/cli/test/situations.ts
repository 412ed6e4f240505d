import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { fakeClaude } from "./fake-claude.ts";
import { type Finished, type Place, type Running, write } from "./harness.ts";
import { agents, oneCycle, type Turn } from "./scripts.ts";
import { linksTo, type, withCommands } from "./typing.ts";

/** What a newcomer meets: what is typed, what the screen says, and what its advice does. */
export interface Situation {
  readonly set: () => Place | Promise<Place>;
  readonly typed: string;
  readonly code: number;
  /** What the screen has to say. */
  readonly says: readonly (string | RegExp)[];
  /** Types what the screen advises, and judges what comes of it. */
  readonly then: (said: Finished, at: Place) => Promise<void>;
}

/** Makes the turns those of both agents of both commands, without a flag. */
export function working<P extends Place>(
  at: P,
  turns: readonly Turn[] = oneCycle(),
): P & { readonly bin: string } {
  const [, coder = "", , reviewer = ""] = agents(at, turns);
  const env = { QUASAR_CODER: coder, QUASAR_REVIEWER: reviewer };
  const ofAtlas = { ATLAS_CODER: coder, ATLAS_REVIEWER: reviewer };
  return withCommands({ ...at, env: { ...at.env, ...env, ...ofAtlas } });
}

/** No agent is installed; `npm` installs a Claude Code that does the work. */
export function withoutAgents<P extends Place>(at: P): P {
  const made = withCommands(at);
  fakeClaude(made, { coder: [{ runs: "echo two > a.txt" }] });
  const away = join(at.outside, "not-installed");
  renameSync(join(made.bin, "claude"), away);
  write(made.bin, { npm: `#!/bin/sh\nmv ${away} ${join(made.bin, "claude")}\n` });
  chmodSync(join(made.bin, "npm"), 0o755);
  const PATH = linksTo(made.bin, ["git", "sh", "node", "mv"]);
  return { ...made, env: { ...made.env, PATH } };
}

/** A Claude Code that works once somebody has logged in to it. */
export function loggedOut<P extends Place>(at: P): P {
  const made = withCommands(at);
  const says = "Not logged in · Please run /login";
  const { env } = fakeClaude(made, { coder: [{ loggedOut: says, runs: "echo two > a.txt" }] });
  return { ...made, env: { ...made.env, ...env } };
}

export async function typed(at: Place, line: string, code: number = 0): Promise<Finished> {
  const said = await type(at, line);
  expect(said.code, `${line}\n${said.stdout}${said.stderr}`).toBe(code);
  return said;
}

/** That the advice ends in an approval. */
export async function approves(at: Place, line: string): Promise<void> {
  expect((await typed(at, line)).stdout).toMatch(/^approved after \d/mu);
}

/** To root nothing is forbidden, unless it gives that up. */
export const AS_PERSON =
  process.getuid?.() === 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search " : "";

export const failing = (kind: string, message: string): readonly Turn[] => [
  { role: "coder", text: "", failure: { kind, message }, costUsd: 0 },
];

export const HOOK = ".git/hooks/pre-commit";

export function hooked<P extends Place>(at: P): P {
  write(at.repo, { [HOOK]: "#!/bin/sh\necho 'work.txt: 1 problem'\nexit 1\n" });
  chmodSync(join(at.repo, HOOK), 0o755);
  return at;
}

/** A Claude Code that does nothing without a command that it may not use. */
export function denied<P extends Place>(at: P): P {
  const made = withCommands(at);
  const wants = ["npm test"];
  const turns = [{ match: "npm test", runs: "echo two > a.txt", wants }, { wants }];
  const { env } = fakeClaude(made, { coder: turns });
  return { ...made, env: { ...made.env, ...env } };
}

/** A person whose editor leaves a file with this line. */
export function withEditor<P extends Place & { readonly bin: string }>(at: P, line: string): P {
  write(at.bin, { edit: `#!/bin/sh\necho "${line}" > "$1"\n` });
  chmodSync(join(at.bin, "edit"), 0o755);
  return { ...at, env: { ...at.env, EDITOR: "edit" } };
}

/** The same place, whose user has told git who they are. */
export function withIdentity<P extends Place>(at: P): P {
  write(at.env["HOME"] ?? "", {
    ".gitconfig": "[user]\n\tname = Ada\n\temail = ada@localhost\n",
  });
  return at;
}

/** Sets a situation up, types what a newcomer does, and looks for what the screen has to say. */
export async function meet({
  set,
  typed: line,
  says,
}: Situation): Promise<{ readonly at: Place; readonly said: Finished }> {
  const at = await set();
  const said = await type(at, line);
  for (const part of says) expect(said.stdout + said.stderr).toMatch(part);
  return { at, said };
}

/** An agent that works until there is a file `done`, and hears no signal. */
const IGNORES_SIGNALS =
  "trap '' INT TERM; cat > ../prompt; until test -e ../done; do sleep 0.1; done; echo two > a.txt";

export function ignoringSignals<P extends Place>(at: P): P {
  const script = join(at.outside, "ignores-signals.sh");
  write(at.outside, { "ignores-signals.sh": IGNORES_SIGNALS });
  const [coder, reviewer] = [`command:sh ${script}`, "command:cat >/dev/null; echo APPROVED: fine"];
  const env = { QUASAR_CODER: coder, QUASAR_REVIEWER: reviewer };
  const ofAtlas = { ATLAS_CODER: coder, ATLAS_REVIEWER: reviewer };
  return withCommands({ ...at, env: { ...at.env, ...env, ...ofAtlas } });
}

/** Presses Ctrl-C twice while the agent works. */
export async function interruptTwice(at: Place, { child, finished }: Running): Promise<Finished> {
  await expect.poll(() => existsSync(join(at.outside, "prompt"))).toBe(true);
  child.kill("SIGINT");
  await sleep(300);
  child.kill("SIGINT");
  const said = await finished;
  write(at.outside, { done: "" });
  return said;
}

export const canMount = process.getuid?.() === 0 && process.platform === "linux";

/** The same place, its repository on a small disk of its own. */
export function onDisk<P extends Place>(at: P): P & { readonly disk: string } {
  const disk = join(at.outside, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", disk]);
  onTestFinished(() => void execFileSync("umount", ["--lazy", disk]));
  const repo = join(disk, "repo");
  cpSync(at.repo, repo, { recursive: true });
  return { ...at, disk, repo };
}

export function fill(disk: string): void {
  spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "fill")}`, "bs=1k"]);
}
