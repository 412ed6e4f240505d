import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../mcp-client.ts";
import { atlas, atlasPlace, receiptsOf, taskDirOf, waiting } from "./harness.ts";

test("receipt_verify says of a task's receipt that it is genuine, and refuses it once it was changed", async () => {
  const at = atlasPlace();
  await waiting(at, "look", ["--validate", "echo fine"]);
  expect((await atlas(at, ["validate"])).code).toBe(0);
  const [id = ""] = receiptsOf(at);
  const { call } = await connect(at);
  const verify = async () => (await call("receipt_verify", { id })).facts["verification"];
  expect(await verify()).toMatchObject({
    ...{ type: "receipt", exit: 0, receipt: { receiptId: id, exitCode: 0 } },
    ...{ verdict: { kind: "valid", output: { untrusted: "matches" } }, chain: { kind: "valid" } },
  });

  const receipts = join(taskDirOf(at), "artifacts/receipts");
  for (const [file, from, to] of [
    [`${id}.out`, "fine", "splendid"],
    [`${id}.dsse.json`, '"sig":"', '"sig":"AAAA'],
  ] as const) {
    const path = join(receipts, file);
    const right = readFileSync(path, "utf8");
    writeFileSync(path, right.replace(from, to));
    expect(await verify(), file).toMatchObject({ exit: 10 });
    writeFileSync(path, right);
    expect(await verify(), file).toMatchObject({ exit: 0 });
  }
  expect(await call("receipt_verify", { id: "rcpt-0a1b2c3d4e5f6071" })).toMatchObject({
    facts: { verification: { type: "error", code: { untrusted: "ERR_NOT_FOUND" }, exit: 2 } },
  });
});
