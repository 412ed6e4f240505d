import { expect, test } from "vitest";
import type { ProcessIdentity } from "@quasar/process";
import type { AgentInvoker, AgentResult } from "../../src/agent.ts";
import {
  after,
  afterRunner,
  COMMANDS,
  counted,
  go,
  killAgent,
  type scenesOf,
  WAITED,
} from "./scene.ts";

export interface KillsOptions extends Pick<ReturnType<typeof scenesOf>, "aTurn" | "aWaitingScene"> {
  /** As the runner of a turn knows the agent. */
  readonly name: string;
  readonly agentIn: (root: string, url: string) => AgentInvoker;
  readonly costSource: AgentResult["costSource"];
  /** What responses cost, by their tokens or by what was billed for them. */
  readonly usdOf: (
    responses: readonly { readonly input: number; readonly output: number }[],
    billedUsd: number,
  ) => number;
}

/** Tests that a turn of a real agent survives kills while a command of its runs. */
export function provesKills(options: KillsOptions): void {
  const { name, agentIn, costSource, usdOf, aTurn, aWaitingScene } = options;

  test("one that outlives its runner is followed, and later read, to the same end", async () => {
    const { place, stub, begun } = await aWaitingScene();
    const request = aTurn(place, { commands: COMMANDS });
    const turn = await afterRunner(name, { root: place.root, url: stub.url }, request, begun);

    const agent = agentIn(place.root, stub.url);
    expect(await agent.find?.(turn)).toMatchObject({ state: "alive" });
    go(place);
    const followed = await agent.adopt?.(turn);
    expect(followed).toMatchObject({ text: "Done.", costSource });
    expect(followed?.costUsd).toBeCloseTo(usdOf(WAITED, stub.billedUsd), 9);
    const read = await agentIn(place.root, stub.url).find?.(turn);
    expect(read).toEqual({ state: "ended", result: followed });
    expect(stub.requests).toHaveLength(2);
  });

  test.for(["agent", "supervisor"] as const)(
    "when the %s is killed in a command, the turn costs no less than was billed, and its session continues",
    async (victim) => {
      const { place, stub, begun } = await aWaitingScene();
      const request = aTurn(place, { commands: COMMANDS });
      const agent = agentIn(place.root, stub.url);
      let supervisor = 0;
      const onStart = async ({ pid }: ProcessIdentity): Promise<void> => void (supervisor = pid);
      const running = agent.invoke(request, { onStart });
      await begun();
      if (victim === "agent") killAgent(place);
      else process.kill(supervisor, "SIGKILL");
      const killed = await running;
      expect(killed).toMatchObject({ failure: { kind: "killed" }, costSource: "partial" });
      expect(counted(killed)).toBeGreaterThanOrEqual(stub.billedUsd);
      expect(stub.requests).toHaveLength(1);

      go(place);
      const billed = stub.billedUsd;
      const resumed = await agent.invoke(after(request, killed, "Continue."));
      expect(resumed).toMatchObject({ text: "Done.", sessionId: killed.sessionId });
      const [, last] = WAITED;
      expect(resumed.costUsd).toBeCloseTo(usdOf([last], stub.billedUsd - billed), 9);
      expect(stub.requests).toHaveLength(2);
      expect(stub.requests[1]?.prompts.join("\n")).toContain("Write one.txt.");
    },
  );
}
