import { test } from "vitest";
import { AGENTS, firstTaskPlace, PROJECTS, TURNS } from "./first-task.ts";

const cases = PROJECTS.slice(0, 1).flatMap((project) =>
  AGENTS.map((agent) => ({ project, agent, name: agent.name })),
);

/** What a run says that it has cost, rounded to cents. */
const saidUsd = (screen: string): number =>
  Number(/^ *cost +\$([\d.]+) of/mu.exec(screen)?.[1] ?? Number.NaN);
const cents = (usd: number): number => Math.round(usd * 100) / 100;

test.concurrent.for(cases)(
  "turns of $name that cost 1.50 US dollars fit into the default budget where the first review approves",
  async ({ project, agent }, { expect, onTestFinished }) => {
    const at = await firstTaskPlace(project, agent, { turnUsd: 1.5, isRefused: false });
    onTestFinished(at.remove);
    const ended = await at.run();
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(at.turns()).toEqual(TURNS.slice(0, 2));
    expect(at.stub.billedUsd).toBeCloseTo(3, 1);
    expect(saidUsd(ended.stdout)).toBeGreaterThanOrEqual(cents(at.stub.billedUsd));
  },
);

test.concurrent.for(cases)(
  "a run of $name is stopped before the turn that no longer fits, and a resume with the figure that it names ends approved",
  async ({ project, agent }, { expect, onTestFinished }) => {
    const at = await firstTaskPlace(project, agent, { turnUsd: 1.5 });
    onTestFinished(at.remove);
    const stopped = await at.run();
    expect(stopped.code, stopped.stdout + stopped.stderr).toBe(4);
    const [, figure = ""] = /--max-budget ([\d.]+)/u.exec(stopped.stdout) ?? [];
    expect(figure, stopped.stdout).not.toBe("");
    const turns = at.turns();
    expect(turns.length).toBeLessThan(TURNS.length);
    const ended = await at.resume("--max-budget", figure);
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(at.turns()).toEqual(TURNS);
    expect(saidUsd(ended.stdout)).toBeGreaterThanOrEqual(cents(at.stub.billedUsd));
    expect(at.outcome()).toEqual(project.outcome);
  },
);
