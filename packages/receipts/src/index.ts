export {
  type ChainProblem,
  type ChainVerdict,
  listReceipts,
  listReceiptTasks,
  verifyChain,
  type VerifyChainOptions,
} from "./chain.ts";
export { decodeReceipt, encodeReceipt } from "./codec.ts";
export { durationText } from "./duration.ts";
export { ReceiptError, type ReceiptErrorCode } from "./errors.ts";
export { type ChainHead, formatReceiptsTrailer, parseReceiptsTrailer } from "./head.ts";
export { createKeyManager, type KeyManager, type KeyManagerOptions } from "./key-manager.ts";
export { formatKeyPath, type KeyPath, parseKeyPath } from "./key-path.ts";
export type { KeyStatus } from "./master-key.ts";
export {
  type AccountKey,
  exportPublicKeys,
  type KeyRing,
  pinKeys,
  type PublicKeyTexts,
} from "./public-key.ts";
export type { OutputVerdict, ValidationReceipt, Verdict } from "./receipt.ts";
export { newReceiptId, type ReceiptPaths, receiptPaths } from "./receipt-id.ts";
export { verifySeedSignature } from "./seed-receipt.ts";
export { type SignedReceipt, signReceipt, type SignOptions } from "./sign.ts";
export type { CommandRun, ReceiptStatement } from "./statement.ts";
export type { TaskName } from "./task-name.ts";
export {
  type InspectedReceipt,
  inspectReceipt,
  justifiesSkip,
  type VerifyOptions,
  verifyReceipt,
} from "./verify.ts";
