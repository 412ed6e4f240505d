import { test } from "vitest";
import { TURNS } from "../first-task.ts";
import { driveKilled } from "./drive.ts";
import { AGENT_NAMES, nameOf } from "./table.ts";

const { REAL_AGENTS = AGENT_NAMES.join(" ") } = process.env;
const asked = REAL_AGENTS.split(" ");

// A share of `pnpm --filter @quasar/cli kills`, which makes all of the table.
const kills = AGENT_NAMES.filter((agent) => asked.includes(agent)).map((agent) => {
  const kill = { agent, turn: "coder 1", point: "tool", victim: "runner" } as const;
  return { kill, name: nameOf(kill) };
});

test.for(kills)(
  "after a kill ($name) the resume reattaches, and nothing is asked again",
  async ({ kill }, { expect }) => {
    const { output, ...ended } = await driveKilled(kill);
    expect(ended, output).toMatchObject({ code: 0, status: "approved", uncommitted: "", left: 0 });
    expect(output).toContain("reattached");
    expect(ended.asked.filter((each) => each.endsWith("step 0"))).toEqual(
      TURNS.map((turn) => `${turn}, step 0`),
    );
    expect(ended.unknownUsd).toBe(0);
  },
);
