import { createPublicKey, type KeyObject, verify } from "node:crypto"
import { type CertificateRequest, DerFault, parseCertificateRequest } from "@pilothouse/api/x509"
import { hasUsableExponent } from "./rsa-numbers.ts"

interface Algorithm {
  readonly key: "rsa" | "ec" | "ed25519"
  readonly hash: string | undefined
}

/** By the names that requests say them with. */
const algorithms: ReadonlyMap<string, Algorithm> = new Map([
  ["1.2.840.113549.1.1.5", { key: "rsa", hash: "sha1" }],
  ["1.2.840.113549.1.1.11", { key: "rsa", hash: "sha256" }],
  ["1.2.840.113549.1.1.12", { key: "rsa", hash: "sha384" }],
  ["1.2.840.113549.1.1.13", { key: "rsa", hash: "sha512" }],
  ["1.2.840.10045.4.1", { key: "ec", hash: "sha1" }],
  ["1.2.840.10045.4.3.2", { key: "ec", hash: "sha256" }],
  ["1.2.840.10045.4.3.3", { key: "ec", hash: "sha384" }],
  ["1.2.840.10045.4.3.4", { key: "ec", hash: "sha512" }],
  ["1.3.101.112", { key: "ed25519", hash: undefined }],
])

const goKeys: Readonly<Record<Algorithm["key"], { readonly name: string; readonly type: string; readonly failure: string }>> = {
  rsa: { name: "RSA", type: "*rsa.PublicKey", failure: "crypto/rsa: verification error" },
  ec: { name: "ECDSA", type: "*ecdsa.PublicKey", failure: "x509: ECDSA verification failure" },
  ed25519: { name: "Ed25519", type: "ed25519.PublicKey", failure: "x509: Ed25519 verification failure" },
}

/** Returns what is wrong with a request for a certificate (PEM), in Go's words; undefined when it is signed with the key that it names. */
export function certificateRequestFault(pem: string): string | undefined {
  try {
    return signatureFault(parseCertificateRequest(pem))
  } catch (error) {
    if (error instanceof DerFault) return error.message
    throw error
  }
}

/** A request is signed with the key that it is about: no client can request a certificate of another's key. */
export function signatureFault({ publicKey, algorithm, signed, signature }: CertificateRequest): string | undefined {
  const known = algorithms.get(algorithm)
  const key = keyOf(publicKey)
  if (known === undefined || key === undefined) return "x509: cannot verify signature: algorithm unimplemented"
  const kind = key.asymmetricKeyType as Algorithm["key"]
  if (kind !== known.key) {
    return `x509: signature algorithm specifies an ${goKeys[known.key].name} public key, but have public key of type ${goKeys[kind].type}`
  }
  if (kind === "rsa" && !hasUsableExponent(key)) return "crypto/rsa: public exponent too large"
  return verify(known.hash, signed, key, signature) ? undefined : goKeys[kind].failure
}

/** Undefined for one of a kind that is not known here. */
function keyOf(spki: Uint8Array): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" })
    return Object.hasOwn(goKeys, key.asymmetricKeyType ?? "") ? key : undefined
  } catch {
    // What OpenSSL cannot read no client can have signed with.
    return undefined
  }
}
