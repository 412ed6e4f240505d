export { ReceiptError, type ReceiptErrorCode } from "./errors.ts";
export type { OutputVerdict, ValidationReceipt, Verdict } from "./receipt.ts";
