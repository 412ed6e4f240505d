import * as z from "zod/v4";
import { askCommand } from "../command.ts";
import { tool } from "./tool.ts";

export const receiptVerify = tool({
  name: "receipt_verify",
  title: "Verify a receipt",
  description:
    "Says whether a signed receipt of a validation is what was signed, and whether receipts of its task are missing.",
  input: z.strictObject({
    id: z
      .string()
      .regex(/^rcpt-[0-9a-f]{16}$/u, "an id such as rcpt-0a1b2c3d4e5f6071")
      .describe("Id of the receipt: rcpt-0a1b2c3d4e5f6071"),
  }),
  async call({ id }, { workspace, commands, signal }) {
    const options = { cwd: workspace.root, signal };
    const verification = await askCommand(commands.atlas, ["hook", "verify-receipt", id], options);
    return { origin: `receipt ${id}`, facts: { verification } };
  },
});
