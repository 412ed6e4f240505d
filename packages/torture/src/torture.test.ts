import { expect, onTestFinished, test } from "vitest";
import type { Subject } from "./trial.ts";
import { torture } from "./torture.ts";

test("says that it is for Linux before it runs anything elsewhere", async () => {
  const { platform } = process;
  onTestFinished(() => void Object.defineProperty(process, "platform", { value: platform }));
  Object.defineProperty(process, "platform", { value: "darwin" });
  await expect(torture({} as Subject)).rejects.toMatchObject({ code: "ERR_NOT_LINUX" });
});
