import { ReceiptError } from "./errors.ts";

/** Where a receipt's key is below the master key; each number is 0 to 2^31 - 1. */
export interface KeyPath {
  readonly generation: number;
  readonly task: number;
  readonly receipt: number;
}

/** BIP-44's purpose and the seed's coin type. */
const ROOT = [44, 236] as const;

const path = /^m\/44'?\/236'?\/(\d{1,10})'?\/(\d{1,10})'?\/(\d{1,10})'?$/;

/** The steps from the master key to an account's, a task's or a receipt's key. */
export function stepsTo(generation: number, ...below: readonly number[]): readonly number[] {
  return [...ROOT, generation, ...below];
}

/** `m/44'/236'/…`, every step hardened. */
export function formatKeyPath(generation: number, ...below: readonly number[]): string {
  return ["m", ...stepsTo(generation, ...below).map((step) => `${step}'`)].join("/");
}

/**
 * Reads the path of a receipt's key. The seed's spelling, without the marks of hardened steps, means
 * the same key: Ed25519 has no others.
 *
 * @throws {ReceiptError} `ERR_INVALID_KEY_PATH`
 */
export function parseKeyPath(text: string): KeyPath {
  const [generation, task, receipt] = (path.exec(text) ?? []).slice(1).map(Number);
  if (generation === undefined || task === undefined || receipt === undefined) throw invalid(text);
  const plain = formatKeyPath(generation, task, receipt).replaceAll("'", "");
  const isPlain = text.replaceAll("'", "") === plain; // no leading zeros
  if (!isPlain || Math.max(generation, task, receipt) >= 2 ** 31) throw invalid(text);
  return { generation, task, receipt };
}

function invalid(text: string): ReceiptError {
  const form = "m/44'/236'/<generation>'/<task>'/<receipt>'";
  return new ReceiptError("ERR_INVALID_KEY_PATH", `${JSON.stringify(text)} is not of ${form}`);
}
