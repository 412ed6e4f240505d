import { expect, test } from "vitest";
import { AGENTS, firstTaskPlace, PROJECTS, TURNS } from "./first-task.ts";

const cases = PROJECTS.flatMap((project) =>
  AGENTS.map((agent) => ({ project, agent, name: `${agent.name} in ${project.name}` })),
);

test.concurrent.for(cases)(
  "a first task of $name ends approved with default settings after quasar init",
  async ({ project, agent }, { expect, onTestFinished }) => {
    const at = await firstTaskPlace(project, agent);
    onTestFinished(at.remove);
    const ended = await at.run();
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(ended.stdout + ended.stderr).not.toContain("denied");
    expect(at.turns()).toEqual(TURNS);
    expect(at.outcome()).toEqual(project.outcome);
  },
);

const kills = cases.flatMap((each) =>
  TURNS.map((turn) => ({ ...each, turn, name: `${each.name}, killed in ${turn},` })),
);

test.concurrent.for(kills)(
  "a first task of $name ends the same after kill -9 of everything and quasar resume",
  async ({ project, agent, turn }, { expect, onTestFinished }) => {
    const at = await firstTaskPlace(project, agent);
    onTestFinished(at.remove);
    await at.runKilledIn(turn);
    const ended = await at.resume();
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(at.outcome()).toEqual(project.outcome);
    expect(new Set(at.turns())).toEqual(new Set(TURNS));
  },
);

test("the projects of these tests are red without the task's work", () => {
  expect(PROJECTS.map(({ isRed }) => isRed())).toEqual(PROJECTS.map(() => true));
});
