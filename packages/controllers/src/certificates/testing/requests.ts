import { generateKeyPairSync, type KeyPairKeyObjectResult, sign } from "node:crypto"
import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import {
  type AlternativeNames,
  type CertificateAuthority,
  derIdentifier,
  derSequence,
  derSubject,
  derTags,
  derValue,
  pemText,
  type Subject,
  signCertificate,
} from "@pilothouse/api/x509"

/** The one key of requests in tests: to make one costs more than all else. */
export const requestKey: KeyPairKeyObjectResult = generateKeyPairSync("ec", { namedCurve: "P-256" })
const authorityKey = generateKeyPairSync("ec", { namedCurve: "P-256" })
const ecdsa = derSequence(derIdentifier("1.2.840.10045.4.3.2"))

interface Requested extends Partial<Subject>, Partial<Omit<AlternativeNames, "ip">> {
  /** Bytes of addresses. */
  readonly ip?: readonly (readonly number[])[]
}

/** Returns a request (PEM), signed by `requestKey`. */
export function requestPem({ commonName = "", organizations = [], ...names }: Requested, key = requestKey): string {
  const { dns = [], email = [], ip = [], uri = [] } = names
  const text = (tag: number, values: readonly string[]) => values.map((value) => derValue(tag, Buffer.from(value)))
  const general = [...text(0x82, dns), ...text(0x81, email), ...text(0x86, uri), ...ip.map((bytes) => derValue(0x87, Buffer.from(bytes)))]
  const extension = derSequence(derIdentifier("2.5.29.17"), derValue(derTags.bytes, derSequence(...general)))
  const requested = derSequence(derIdentifier("1.2.840.113549.1.9.14"), derValue(derTags.set, derSequence(extension)))
  const info = derSequence(
    derValue(derTags.integer, Uint8Array.of(0)),
    derSubject({ commonName, organizations }),
    key.publicKey.export({ type: "spki", format: "der" }),
    derValue(0xa0, ...(general.length > 0 ? [requested] : [])),
  )
  const signature = derValue(derTags.bits, Uint8Array.of(0), sign("sha256", info, key.privateKey))
  return pemText("CERTIFICATE REQUEST", derSequence(info, ecdsa, signature))
}

interface SigningRequest {
  readonly name?: string
  readonly pem: string
  readonly usages: readonly string[]
  readonly signerName: string
  readonly expirationSeconds?: number
  readonly username?: string
  readonly conditions?: readonly string[]
}

export function signingRequest({ name = "csr", pem, conditions = [], ...spec }: SigningRequest): CertificateSigningRequest {
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    // Some rows have usages that no server takes.
    spec: { ...spec, usages: spec.usages as CertificateSigningRequest["spec"]["usages"], request: Buffer.from(pem).toString("base64") },
    ...(conditions.length > 0 && { status: { conditions: conditions.map((type) => ({ type, status: "True" })) } }),
  }
}

/** An authority that lasts until then. */
export function testAuthority(notAfter: number): CertificateAuthority {
  const issuer = {
    rawSubject: derSubject({ commonName: "test-ca", organizations: [] }),
    subjectKeyId: undefined,
    algorithm: ecdsa,
    sign: (bytes: Uint8Array) => sign("sha256", bytes, authorityKey.privateKey),
  }
  return { notAfter, sign: (template) => signCertificate(template, issuer) }
}

/** A kubelet's request for its client certificate. */
export const kubeletRequest = requestPem({ commonName: "system:node:a", organizations: ["system:nodes"] })
/** What a kubelet serves with. */
export const servingRequest = requestPem({ commonName: "system:node:a", organizations: ["system:nodes"], dns: ["a"], ip: [[10, 0, 0, 1]] })
