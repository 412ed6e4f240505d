/**
 * What one command did, as a hook file mirrors it from the signed envelope: the seed's
 * `ValidationReceipt` with the fields that its own samples and commands need.
 *
 * @see SPEC.md, "Receipt"
 */
export interface ValidationReceipt {
  /** Unique in its task. */
  readonly receiptId: string;
  /** Which step this validates. */
  readonly stepName: string;
  /** As it was run. */
  readonly command: string;
  /** 0 to 255, or 128 + the number of the signal that ended it. */
  readonly exitCode: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly startedAt: string;
  readonly completedAt: string;
  /** For people: `12.3s`. */
  readonly duration: string;
  /** SHA-256 of everything that was written, 64 hex digits. */
  readonly stdoutHash: string;
  readonly stderrHash: string;
  /** `m/44'/236'/<generation>'/<task>'/<receipt>'`. */
  readonly keyPath: string;
  /** First 16 hex digits of the SHA-256 of the account's public key. */
  readonly keyId: string;
  /** How it was signed: `ed25519-slip10`. */
  readonly sigAlg: string;
  /** 2: every field is covered; 1: the seed's six. */
  readonly sigVersion: number;
  /** Ed25519, 128 hex digits. */
  readonly signature: string;
}

/** What verification found. Computed when it is asked for, never stored. */
export type Verdict =
  | {
      readonly kind: "valid";
      /** `partial`: a signature of the seed's kind, which leaves fields uncovered. */
      readonly coverage: "full" | "partial";
      /** Whether the kept outputs are those that were hashed. */
      readonly output: OutputVerdict;
    }
  | { readonly kind: "invalid"; readonly reason: string; readonly output: OutputVerdict }
  | {
      readonly kind: "unverifiable";
      readonly reason: string;
      /** The key that it says it was signed with. */
      readonly signedBy: string;
      /** The keys that are here. */
      readonly keyIds: readonly string[];
      readonly output: OutputVerdict;
    };

/** `unchecked`: nobody said where the outputs are. */
export type OutputVerdict = "matches" | "modified" | "missing" | "unchecked";
