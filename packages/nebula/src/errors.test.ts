import { expect, test } from "vitest";
import { NebulaError } from "./errors.ts";

test("a message is safe to print, whatever it quotes", () => {
  const { message } = new NebulaError("ERR_USAGE", "not \u001b[2Jdemo\u202e\nsecond line");
  expect(message).toBe("not \\u{1b}[2Jdemo\\u{202e}\nsecond line");
});
