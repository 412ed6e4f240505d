import { test } from "vitest";
import { AGENTS, firstTaskPlace, PROJECTS, TURNS } from "./first-task.ts";

const FILES = { "CLAUDE.md": "Say marmalade.\n", "AGENTS.md": "Say bergamot.\n" };
const cases = PROJECTS.slice(0, 1).flatMap((project) =>
  AGENTS.map((agent) => ({
    project: { ...project, files: { ...project.files, ...FILES } },
    agent,
    name: agent.name,
  })),
);

test.concurrent.for(cases)(
  "$name reads the conventions of the repository once in each conversation, and only as untrusted text of the run",
  async ({ project, agent }, { expect, onTestFinished }) => {
    const at = await firstTaskPlace(project, agent);
    onTestFinished(at.remove);
    const ended = await at.run();
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(at.turns()).toEqual(TURNS);
    for (const body of at.stub.bodies) {
      for (const word of ["marmalade", "bergamot"]) expect(body.split(word)).toHaveLength(2);
    }
    for (const { system } of at.stub.requests) expect(system).not.toMatch(/marmalade|bergamot/u);
  },
);
