// Drives the running step of a task as an engine does, until it is killed: work-driver.ts <JSON>
import { writeSync } from "node:fs";
import { createScriptedAgent, type ScriptedTurn } from "@quasar/agents";
import type { AgentWork } from "../src/runs/agent-work.ts";
import { workOnStep } from "../src/runs/work-on-step.ts";
import { type StepFixture, working } from "./step-fixture.ts";

export interface DriverTask {
  readonly fixture: StepFixture;
  readonly work: AgentWork;
  readonly turns: readonly ScriptedTurn[];
  /** Of a model server. @default the agents have no model */
  readonly model?: string | undefined;
  /** Killed when it tells of this, by whom: `["agent_event", "coder"]`. @default it is not */
  readonly kill?: readonly [type: string, role: string] | undefined;
}

const { fixture, work, turns, model, kill } = JSON.parse(process.argv[2] ?? "") as DriverTask;
const coder = createScriptedAgent({ turns, model });
const { input } = working(
  fixture,
  { coder, reviewer: coder },
  {
    tell(event) {
      if (event.type !== "loop") return;
      const { type } = event.event;
      const role = "role" in event.event ? event.event.role : "";
      const how = "how" in event.event ? [event.event.how] : [];
      if (type !== "agent_event") print({ told: [type, role, ...how].filter(Boolean).join(" ") });
      if (type === kill?.[0] && role === kill[1]) process.kill(process.pid, "SIGKILL");
    },
  },
);
print({ result: await workOnStep(input, work) });

function print(value: object): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}
