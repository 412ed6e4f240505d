export { type Verification, type VerifiedCommit, verifyReceipts } from "./operations/verify.ts";
export { judgeReceipts, type ReceiptChain } from "./validation/receipt-chain.ts";
export { taskReceipts } from "./validation/task-receipts.ts";
