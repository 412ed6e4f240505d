import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent } from "@quasar/agents";
import { gateId } from "@quasar/nebula/port";
import { expect, test } from "vitest";
import { aFleet, isDone } from "./a-fleet.ts";
import { cuttable } from "./cuttable.ts";
// @boundaries-ignore one place for the tests of nebulae on one machine and on several
import { agent, aPlace, MANIFEST, phase, write } from "../../nebula/test/place.ts";

const ONE = { "nebula.toml": MANIFEST, "a.md": phase("a") };

/** A coder that does its work, and what has been asked of it. */
function aCoder(says: readonly string[] = []) {
  const prompts: string[] = [];
  const work = {
    "Phase a": (tree: string, { prompt }: { readonly prompt: string }) => {
      prompts.push(prompt);
      write(tree, { "a.txt": `turn ${prompts.length}\n` });
      return says[prompts.length - 1];
    },
  };
  return { prompts, work };
}

test("no turn begins that the depot does not know of, and what it refuses for good has failed", async () => {
  const fleet = await aFleet(aPlace({ "base.txt": "base\n" }, ONE));
  const { id } = await fleet.submit();
  const hooks = join(fleet.depot, "hooks");
  const hook = join(hooks, "pre-receive");
  mkdirSync(hooks, { recursive: true });
  fleet.inDepot("config", "core.hooksPath", hooks);
  writeFileSync(hook, "#!/bin/sh\nif grep -q '/run$'; then echo 'out of room'; exit 1; fi\n");
  chmodSync(hook, 0o755);
  const { prompts, work } = aCoder();
  fleet.worker("one", work);
  const { phases } = await fleet.until(id, (state) => state.phases[0]?.status === "failed");
  expect(phases[0]?.reason).toMatch(/^the depot refuses the run: /u);
  expect(prompts).toEqual([]);
  rmSync(hook);
  const again = { verb: "retry", reason: "", isFinal: false } as const;
  if (phases[0] !== undefined) console.log(await fleet.port.resolve(id, gateId(phases[0]), again));
  await fleet.until(id, isDone);
  expect(prompts).toHaveLength(1);
});

test("a stop that is to be now ends a turn, also where one after the turns was asked for before", async () => {
  const place = aPlace({ "base.txt": "base\n" }, ONE);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const begun = join(place.root, "begun");
  const command = `cat >/dev/null
    if [ -e '${begun}' ]; then echo 'APPROVED: fine'; exit; fi
    touch '${begun}'; exec sleep 600`;
  fleet.worker("one", aCoder().work, { reviewer: createAgent({ kind: "command", command }) });
  await expect.poll(() => existsSync(begun), { timeout: 30_000 }).toBe(true);
  await fleet.port.signal(id, "stop");
  await sleep(2500);
  await fleet.port.signal(id, "cancel");
  const holders = async () => (await fleet.port.status(id)).holders.map(({ work }) => work);
  await expect.poll(holders, { timeout: 30_000 }).toEqual([]);
  await fleet.port.signal(id, "continue");
  await fleet.until(id, isDone);
});

test("a question is heard once the server is in reach, and its answer by the run that works on", async () => {
  const fleet = await aFleet(aPlace({ "base.txt": "base\n" }, ONE));
  const { id } = await fleet.submit();
  const link = cuttable(fleet.port);
  const asks = "Done.\n\nQUESTION: decision_needed\nSUMMARY: Which port?\nOPTION: 80\nOPTION: 8080";
  const { prompts, work } = aCoder([asks]);
  const answered = Promise.withResolvers<void>();
  let reviews = 0;
  const reviewer = agent("reviewer", async () => {
    reviews += 1;
    if (reviews > 1) return "APPROVED: fine";
    await answered.promise;
    return "ISSUE:\nSEVERITY: major\nDESCRIPTION: bad";
  });
  const cutting = {
    "Phase a": (...given: Parameters<(typeof work)["Phase a"]>) => {
      link.cut = prompts.length === 0;
      setTimeout(() => (link.cut = false), 1500);
      return work["Phase a"](...given);
    },
  };
  fleet.worker("one", cutting, { port: link.port, reviewer });
  const asked = await fleet.until(id, ({ phases }) => (phases[0]?.questions.length ?? 0) > 0);
  const question = asked.phases[0]?.questions[0] ?? "";
  await fleet.port.resolve(id, `question/${question}`, { text: "8080", agent: "" });
  const isHeard = async () => (await fleet.state(id)).phases[0]?.questions.length;
  await expect.poll(isHeard, { timeout: 30_000 }).toBe(0);
  await sleep(3000);
  answered.resolve();
  await fleet.until(id, isDone);
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).toContain('"8080"');
});
