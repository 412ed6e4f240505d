import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { endMarked } from "@quasar/process";
import { onTestFinished } from "vitest";
import { type FleetPlace, up } from "../test/fleet-place.ts";
import { git, quasar, type Running, start, write } from "../test/harness.ts";
import { realFleetPlace } from "./real-fleet-place.ts";

export interface Nebula {
  /** Of its `nebula.toml`, after its name. */
  readonly manifest?: string;
  readonly phases: readonly string[];
  /** More front matter, by the phase's id. */
  readonly keys?: Readonly<Record<string, string>>;
}

/** A server, a depot, and a user with a repository whose nebula `demo` is to be submitted. */
export async function aFleet({ manifest = "", phases, keys = {} }: Nebula) {
  const at = realFleetPlace();
  const files = phases.map(
    (id) =>
      [
        `.nebulas/demo/${id}.md`,
        `+++\nid = "${id}"\ntitle = "Phase ${id}"\n${keys[id] ?? ""}\n+++\n\nBody of ${id}.\n`,
      ] as const,
  );
  write(at.repo, {
    "base.txt": "base\n",
    ".nebulas/demo/nebula.toml": `[nebula]\nname = "demo"\n\n${manifest}`,
    ...Object.fromEntries(files),
  });
  const config = join(at.outside, "gitconfig");
  writeFileSync(config, "[user]\n\tname = Test\n\temail = test@localhost\n");
  const env = { ...at.env, GIT_CONFIG_GLOBAL: config };
  const user: FleetPlace = { ...at, env };
  git(user, "init", "--quiet", "--initial-branch=main");
  git(user, "add", "--all");
  git(user, "commit", "-qm", "Start");
  const depot = join(at.outside, "depot.git");
  await quasar(user, ["depot", "init", depot]);
  const data = join(at.outside, "data");
  const { line } = await up(user, "--dir", data);
  const { url = "", admin = "" } = line;
  return {
    ...{ user, depot, data, url, admin },
    submit: (change: { readonly url?: string; readonly env?: Record<string, string> } = {}) =>
      quasar(
        user,
        [
          ...["nebula", "apply", ".nebulas/demo", "--auto", "--depot", depot],
          ...["--fleet", change.url ?? url],
        ],
        { env: change.env },
      ),
  };
}

export interface MachineOptions {
  readonly user: FleetPlace;
  readonly name: string;
  readonly turns?: readonly object[];
  readonly key?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A machine of its own: a home with a copy of the key. */
export function aMachine({ user, name, turns = [], key, env }: MachineOptions) {
  const home = join(user.outside, name);
  const keyFile = join(home, ".config/quasar/fleet.key");
  mkdirSync(dirname(keyFile), { recursive: true, mode: 0o700 });
  if (key === undefined) cpSync(user.keyFile, keyFile);
  else writeFileSync(keyFile, key, { mode: 0o600 });
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ turns }));
  const agent = `scripted:${script}`;
  const own = { ...user.env, ...env, HOME: home, QUASAR_CODER: agent, QUASAR_REVIEWER: agent };
  return {
    home,
    env: own,
    work(...args: readonly string[]): Running {
      const place = { ...user, env: own };
      const running = start(place, ["worker", "--ttl", "5", "--json", ...args], { cwd: home });
      // Before the command itself is ended, since what it started outlives it.
      onTestFinished(async () => {
        await endMarked({ name: "HOME", value: home }, { signal: "SIGKILL", graceMs: 0 });
      });
      return running;
    },
  };
}
