import { test } from "vitest";
import { firstTaskPlace, PROJECTS, type RealAgent, TURNS } from "../first-task.ts";
import { MORE_AGENTS } from "./agents.ts";

const { REAL_AGENTS = Object.keys(MORE_AGENTS).join(" ") } = process.env;
const asked = REAL_AGENTS.split(" ");

/** Who works and who reviews. */
interface Pair {
  readonly name: string;
  readonly coder: RealAgent;
  readonly reviewer: RealAgent;
}

const alone = Object.values(MORE_AGENTS).map(
  (agent): Pair => ({ name: agent.name, coder: agent, reviewer: agent }),
);
const mixed: Pair = {
  name: "Gemini CLI and OpenCode",
  coder: MORE_AGENTS.gemini,
  reviewer: MORE_AGENTS.opencode,
};
const isAsked = ({ coder, reviewer }: Pair): boolean =>
  [coder, reviewer].every(({ program }) => asked.includes(program));

const [project] = PROJECTS.filter(({ name }) => name === "a TypeScript project");
if (project === undefined) throw new Error("there is no such project");

test.for([...alone, mixed].filter(isAsked))(
  "a first task of $name ends approved with default settings after quasar init",
  async ({ coder, reviewer }, { expect, onTestFinished }) => {
    const at = await firstTaskPlace(project, coder, { reviewer });
    onTestFinished(at.remove);
    const ended = await at.run();
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(ended.stdout + ended.stderr).not.toContain("denied");
    expect(at.turns()).toEqual(TURNS);
    expect(at.outcome()).toEqual(project.outcome);
  },
);

const kills = alone
  .filter(isAsked)
  .flatMap((pair) => ["coder 1", "reviewer 2"].map((turn) => ({ ...pair, turn })));

test.for(kills)(
  "a first task of $name, killed in $turn, ends the same after kill -9 of everything and quasar resume",
  async ({ coder, reviewer, turn }, { expect, onTestFinished }) => {
    const at = await firstTaskPlace(project, coder, { reviewer });
    onTestFinished(at.remove);
    await at.runKilledIn(turn);
    const ended = await at.resume();
    expect(ended.code, ended.stdout + ended.stderr).toBe(0);
    expect(at.outcome()).toEqual(project.outcome);
    expect(new Set(at.turns())).toEqual(new Set(TURNS));
  },
);
