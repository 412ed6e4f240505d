import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Answer, APPROVAL, fakeAgent } from "../../test/fake-agent.ts";
import { harness } from "../../test/harness.ts";
import { runTask } from "../loop.ts";

const failure = { kind: "empty-answer", message: "It said nothing.", retryable: true } as const;

test("a coder that changes files and says nothing has done its turn", async () => {
  const works: Answer = ({ workTree }) => {
    writeFileSync(join(workTree, "a.txt"), "a\n");
    return { failure };
  };
  const coder = fakeAgent([works]);
  const loop = harness({ coder, reviewer: fakeAgent([APPROVAL]) });
  expect(await runTask({ title: "Do it" }, loop.options)).toMatchObject({ outcome: "approved" });
  expect(coder.requests).toHaveLength(1);
  expect(loop.tree.git("show", "--name-only", "--format=%s")).toContain("a.txt");
});

test("a coder that neither changes a file nor says anything has failed", async () => {
  const loop = harness({ coder: fakeAgent([{ failure }]), reviewer: fakeAgent([APPROVAL]) });
  const result = await runTask({ title: "Do it" }, loop.options);
  expect(result).toMatchObject({
    outcome: "agent",
    agentFailure: { kind: "empty-answer", message: "fake said nothing and changed no file" },
  });
});
