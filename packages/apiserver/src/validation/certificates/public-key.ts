import { constants, createPublicKey, type KeyObject, verify } from "node:crypto"
import { derValues } from "@pilothouse/api/x509"
import { hasUsableExponent, rsaNumbers } from "../rsa-numbers.ts"

/** The key that a certificate is for, as far as it is one that Go reads. */
export type PublicKey =
  | { readonly kind: "ed25519"; readonly key: KeyObject }
  | { readonly kind: "ecdsa"; readonly key: KeyObject; readonly curve: string }
  | { readonly kind: "rsa"; readonly key: KeyObject; readonly bits: number }
  | { readonly kind: "other"; readonly key: KeyObject }

/** The curves that Go knows, by OpenSSL's names. */
const curves: Readonly<Record<string, string>> = { secp224r1: "P-224", prime256v1: "P-256", secp384r1: "P-384", secp521r1: "P-521" }

/** Reads a SubjectPublicKeyInfo (DER); undefined for anything else. */
export function parsePublicKey(der: Uint8Array): PublicKey | undefined {
  try {
    if (derValues(der).length !== 1) return undefined
    return withParameters(createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" }))
  } catch {
    // A client may send anything; what OpenSSL cannot read is no key.
    return undefined
  }
}

function withParameters(key: KeyObject): PublicKey | undefined {
  if (key.asymmetricKeyType === "ed25519") return { kind: "ed25519", key }
  if (key.asymmetricKeyType === "rsa") return withModulus(key)
  if (key.asymmetricKeyType !== "ec") return { kind: "other", key }
  const curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ""]
  return curve === undefined ? undefined : { kind: "ecdsa", key, curve }
}

/** Bytes of the largest exponent that Go reads. */
const longestExponent = 8

function withModulus(key: KeyObject): PublicKey | undefined {
  const { modulus, exponent } = rsaNumbers(key)
  // Go has the length of a modulus in bytes.
  return exponent.length > longestExponent ? undefined : { kind: "rsa", key, bits: 8 * modulus.length }
}

/** Reports whether a key signed these bytes, each kind in the way in which kubelets sign. */
export function isSignedBy({ kind, key }: PublicKey, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (kind === "ed25519") return verify(null, bytes, key, signature)
  if (kind === "ecdsa") return verify("sha256", bytes, key, signature)
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
  return kind === "rsa" && hasUsableExponent(key) && verify("sha256", bytes, { key, ...padding }, signature)
}

/**
 * Reports whether two keys are the same, by what they are written as. Node's `equals` leaves an error of OpenSSL behind where the two are of different
 * kinds (24.21), and the next TLS connection that is read, whosever it is, ends with it.
 */
export function isSameKey(one: PublicKey | undefined, other: PublicKey): boolean {
  return one !== undefined && written(one).equals(written(other))
}

function written({ key }: PublicKey): Buffer {
  return key.export({ type: "spki", format: "der" })
}
