import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFilePort } from "../../src/port/files/file-port.ts";
import { type Epoch, LANE } from "../../src/port/port.ts";
import { Scene } from "../../src/testing/index.ts";

/** A process that holds the lane. */
async function aHolder(
  commonDir: string,
  id: string,
): Promise<{ readonly child: ChildProcess; readonly epoch: Epoch }> {
  const program = join(import.meta.dirname, "holder.ts");
  const child = spawn(process.execPath, [program, commonDir, id], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, epoch: JSON.parse(line.toString()) as Epoch };
}

test("another process keeps the lane until it is killed, and sees of people what they did meanwhile", async () => {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "quasar-port-"));
  const commonDir = join(root, "git");
  const port = createFilePort({ commonDir });
  onTestFinished(() => {
    port.close();
    rmSync(root, { recursive: true, force: true });
  });
  const nothing = () => Promise.resolve();
  const scene = new Scene({
    ...{ port, second: () => port, pass: nothing, jump: nothing, restart: nothing },
    prepare: (state) => state,
  });
  await scene.begin();
  const { child, epoch } = await aHolder(commonDir, scene.id);
  expect(await scene.lease(LANE)).toBeUndefined();
  const theirs = { nebula: scene.id, work: LANE, epoch };
  expect(await port.fence(theirs)).toBe("stale");
  await port.signal(scene.id, "pause");
  child.kill("SIGKILL");
  await once(child, "exit");
  const lane = await scene.take(LANE);
  expect(lane.epoch.writer).not.toBe(epoch.writer);
  expect(await port.renew(lane)).toEqual({ as: "held", orders: { isPaused: true, stop: "" } });
});
