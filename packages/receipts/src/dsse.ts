import { Buffer } from "node:buffer";
import { isSignature, keyIdOf, publicKeyOf, sign } from "./ed25519.ts";
import { type Fields, fromRecord, keyId, name, text, toRecord } from "./fields.ts";

/** Bytes of a type and one signature over both: DSSE v1. */
export interface Envelope {
  readonly payloadType: string;
  readonly payload: Buffer;
  /** Of the key that signed: see {@link keyIdOf}. */
  readonly keyId: string;
  readonly signature: Buffer;
}

interface EnvelopeRecord {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly unknown[];
}

const one = {
  says: "a list with one signature",
  accepts: (value: unknown) => Array.isArray(value) && value.length === 1,
};
const ENVELOPE: Fields<EnvelopeRecord> = {
  payloadType: ["payloadType", name],
  payload: ["payload", text],
  signatures: ["signatures", one],
};
const SIGNATURE: Fields<{ readonly keyId: string; readonly sig: string }> = {
  keyId: ["keyid", keyId],
  sig: ["sig", text],
};

/** What is signed: DSSE's pre-authentication encoding. */
export function preAuthentication(payloadType: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

export function seal(privateKey: Uint8Array, payloadType: string, payload: Buffer): Envelope {
  const signature = sign(privateKey, preAuthentication(payloadType, payload));
  return { payloadType, payload, keyId: keyIdOf(publicKeyOf(privateKey)), signature };
}

/** Whether this key signed this payload as one of this type. */
export function isSealed(envelope: Envelope, payloadType: string, publicKey: Uint8Array): boolean {
  if (envelope.payloadType !== payloadType || envelope.keyId !== keyIdOf(publicKey)) return false;
  const signed = preAuthentication(payloadType, envelope.payload);
  return isSignature(envelope.signature, publicKey, signed);
}

export function envelopeToRecord(envelope: Envelope): Record<string, unknown> {
  const { payloadType, payload, keyId, signature } = envelope;
  const signatures = [toRecord({ keyId, sig: signature.toString("base64") }, SIGNATURE)];
  return toRecord({ payloadType, payload: payload.toString("base64"), signatures }, ENVELOPE);
}

/**
 * Takes base64 as Node does, which is not strict: compare what {@link envelopeToRecord} makes of it.
 *
 * @throws {ReceiptError} `ERR_INVALID_RECEIPT`
 */
export function envelopeFromRecord(record: unknown): Envelope {
  const { payloadType, payload, signatures } = fromRecord(record, ENVELOPE);
  const { keyId, sig } = fromRecord(signatures[0], SIGNATURE);
  const fromBase64 = (encoded: string) => Buffer.from(encoded, "base64");
  return { payloadType, payload: fromBase64(payload), keyId, signature: fromBase64(sig) };
}
