import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastRecord, type Place, place, quasar, write } from "./harness.ts";

interface Found {
  readonly check: string;
  readonly state: string;
  readonly message: string;
  readonly next: readonly string[];
}

/** An agent's program that only tells its version and who is logged in. */
export function withAgent(at: Place, name: string, status: string, exitCode = 0): Place {
  const bin = join(at.outside, "agents");
  const script = `#!/bin/sh
case "$*" in
  --version) echo '${name} 2.1.330' ;;
  *status*) printf '%s\\n' '${status}'; exit ${exitCode} ;;
  *) echo "asked: $*" >> '${at.outside}/asked' ;;
esac
`;
  write(bin, { [name]: script });
  chmodSync(join(bin, name), 0o755);
  const { PATH = "" } = at.env;
  return { ...at, env: { ...at.env, PATH: PATH.startsWith(bin) ? PATH : `${bin}:${PATH}` } };
}

const IN = '{"loggedIn": true, "authMethod": "claude.ai", "email": "a@b.c"}';
const OUT = '{"loggedIn": false, "authMethod": "none"}';

async function doctor(
  at: Place,
  options: Parameters<typeof quasar>[2] = {},
): Promise<{ readonly code: number | null; readonly of: (check: string) => Found | undefined }> {
  const done = await quasar(at, ["doctor", "--json"], options);
  const found = lastRecord(done)["surroundings"] as readonly Found[];
  return { code: done.code, of: (check) => found.find((each) => each.check === check) };
}

test("the doctor tells an agent's version and login, and never who it is", async () => {
  const at = withAgent(place(), "claude", IN);
  const { code, of } = await doctor(at);
  expect(of("claude")).toMatchObject({ state: "ok", message: "2.1.330, logged in (claude.ai)" });
  expect(of("codex")).toMatchObject({ state: "ok", message: "not installed" });
  expect(code).toBe(0);
  const screen = await quasar(at, ["doctor"]);
  expect(screen.stdout).toContain("  claude   2.1.330, logged in (claude.ai)\n");
  expect(screen.stdout).not.toContain("a@b.c");
});

test("an agent that the settings name and that cannot ask its model is a problem, with the command that helps", async () => {
  const at = withAgent(place(), "claude", OUT, 1);
  const { code, of } = await doctor(at);
  expect(code).toBe(1);
  expect(of("claude")).toMatchObject({ state: "problem", next: ["claude auth login"] });
  const named = { QUASAR_CODER: "codex", QUASAR_REVIEWER: "codex" };
  const other = await doctor(at, { env: named });
  expect(other.code).toBe(1);
  expect(other.of("claude")).toMatchObject({ state: "ok", message: "2.1.330, not logged in" });
  expect(other.of("codex")).toMatchObject({
    state: "problem",
    next: ["npm install -g @openai/codex", 'quasar run "…" --coder claude --reviewer claude'],
  });
});

test("the doctor says how much room there is where a run writes", async () => {
  const at = withAgent(place(), "claude", IN);
  const { of } = await doctor(at);
  expect(of("disk")?.message).toMatch(
    /^\d.* free: work tree, git folder, folder of runs, state folder, cache$/u,
  );
});
