import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFilePort, type FilePort } from "../../src/port/files/file-port.ts";
import { loadNebula } from "../../src/spec/index.ts";
import { keepSpec } from "../../src/state/copy.ts";
import { nebulaHome } from "../../src/state/home.ts";
import type { NebulaState } from "../../src/state/state.ts";
import { describeNebulaPort, type PortKit } from "../../src/testing/index.ts";
import { aPhase } from "../a-nebula.ts";

const START = Date.parse("2026-11-20T23:04:05Z");

/** A clock that nothing but the suite moves, and ports over one folder. */
function aKit(): PortKit {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "quasar-port-"));
  const commonDir = join(root, "git");
  const ports: FilePort[] = [];
  let at = START;
  const open = (): FilePort => {
    const port = createFilePort({ commonDir, now: () => new Date(at) });
    ports.push(port);
    return port;
  };
  let port = open();
  onTestFinished(() => {
    for (const each of ports) each.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    get port() {
      return port;
    },
    second: open,
    async pass(ms) {
      at += ms;
    },
    async jump(ms) {
      at += ms;
    },
    async restart() {
      port.close();
      port = open();
    },
    prepare: (state) => withSpec(state, join(root, state.id), commonDir),
  };
}

/** Keeps the files of a nebula whose plan waits for a person. */
function withSpec(state: NebulaState, dir: string, commonDir: string): NebulaState {
  mkdirSync(dir, { recursive: true });
  const manifest = '[nebula]\nname = "demo"\n\n[execution]\ngate = "approve"\n';
  writeFileSync(join(dir, "nebula.toml"), manifest);
  for (const id of ["a", "b", "c"]) writeFileSync(join(dir, `${id}.md`), aPhase(id));
  const revision = keepSpec(nebulaHome(commonDir, state.id), loadNebula(dir));
  return { ...state, revision };
}

describe("the port over files", () => {
  const { count, leftOut } = describeNebulaPort({ test, make: aKit, features: [] });

  test("takes all cases but those of leases that outlive their process", () => {
    expect(count).toBeGreaterThanOrEqual(60);
    expect(leftOut).toEqual([
      "gives the lane whose holder is silent for its whole time",
      "has leases outlive a restart, for their whole time from then on",
      "refuses the state of a frozen conductor whose lane was taken",
    ]);
  });
});
