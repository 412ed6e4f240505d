import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { type Envelope, envelopeToRecord, seal } from "./dsse.ts";
import * as is from "./fields.ts";

/** Says whose a public key is. Signed by the key above it: the account's, or the task's. */
export interface Certificate {
  readonly path: string;
  /** 64 hex digits. */
  readonly publicKey: string;
  readonly workspaceId: string;
  readonly taskId: string;
}

export const CERTIFICATE_TYPE = "application/vnd.quasar.key-certificate+json";

const FIELDS: is.Fields<Certificate> = {
  path: ["path", is.name],
  publicKey: ["public_key", is.sha256],
  workspaceId: ["workspace_id", is.name],
  taskId: ["task_id", is.name],
};

export function certify(certificate: Certificate, issuer: Uint8Array): Envelope {
  const payload = Buffer.from(JSON.stringify(is.toRecord(certificate, FIELDS)));
  return seal(issuer, CERTIFICATE_TYPE, payload);
}

/** @throws {ReceiptError} `ERR_INVALID_RECEIPT` */
export function decodeCertificate(envelope: Envelope): Certificate {
  return is.fromRecord(is.parseJson(envelope.payload), FIELDS);
}

/** SHA-256 of a certificate as it stands in a receipt's file. */
export function certificateDigest(envelope: Envelope): string {
  return hash("sha256", JSON.stringify(envelopeToRecord(envelope)));
}
