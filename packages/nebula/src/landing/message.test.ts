import { expect, test } from "vitest";
import { pendingPhase } from "../state/state.ts";
import { squashMessage } from "./message.ts";

test("a title that is too long for its line is cut at a word, which is said", () => {
  const title = "Add a discount to every price that the catalogue of the shop lists today";
  const phases = [{ id: "discount", title } as never];
  const state = { ...pendingPhase("discount", "p1-0", new Date(0)), status: "done", landing: 1 };
  const lines = squashMessage({ name: "shop", phases: [state as never] }, { phases }).split("\n");
  expect(lines).toContain("- discount: Add a discount to every price that the catalogue of the …");
});
