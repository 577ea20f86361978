import { createPrivateKey, createPublicKey, KeyObject, webcrypto } from "node:crypto"
import { messageOf } from "@pilothouse/seams"
import { pairNames } from "./certificate-names.ts"
import type { CertificateOptions, StoredCertificates } from "./certificates.ts"
import { unreadableFile } from "./invalid-file.ts"

/** Small, quick to make, and known to every TLS library. */
export const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

export function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"])
}

/** The pair of a private key that is there. Rejects one of another kind. */
async function keysOf(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const bytes = createPublicKey(createPrivateKey(pem)).export({ type: "spki", format: "der" })
  const [privateKey, publicKey] = await Promise.all([
    importPrivateKey(pem),
    webcrypto.subtle.importKey("spki", bytes, keyAlgorithm, true, ["verify"]),
  ])
  return { privateKey, publicKey }
}

export function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  const bytes = createPrivateKey(pem).export({ type: "pkcs8", format: "der" })
  return webcrypto.subtle.importKey("pkcs8", bytes, keyAlgorithm, true, ["sign"])
}

export function exportPrivateKey(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: "sec1", format: "pem" }).toString()
}

export function exportPublicKey(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: "spki", format: "pem" }).toString()
}

export interface Keys {
  readonly pair: webcrypto.CryptoKeyPair
  /** Of the private one: its file's own where there is one. */
  readonly pem: string
}

/** Returns the stored keys, or new ones. */
export async function keysFor(
  part: keyof StoredCertificates["keys"],
  { keys }: StoredCertificates,
  options: CertificateOptions,
): Promise<Keys> {
  const pem = keys[part]
  if (pem !== undefined) return { pair: await requireP256(keysOf(pem), pairNames[part].key, options), pem }
  const pair = await generateKeys()
  return { pair, pem: exportPrivateKey(pair.privateKey) }
}

/** Any key may serve; only ours can be made certificates with. */
export async function requireP256<T>(imported: Promise<T>, name: string, options: Pick<CertificateOptions, "directory">): Promise<T> {
  try {
    return await imported
  } catch (error) {
    throw unreadableFile(options, name, { expected: "an ECDSA key of the curve P-256", why: messageOf(error), cause: error })
  }
}
