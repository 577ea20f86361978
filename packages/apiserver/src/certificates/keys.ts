import { createPrivateKey, createPublicKey, KeyObject, webcrypto } from "node:crypto"

/** Small, quick to make, and known to every TLS library. */
export const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

export function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"])
}

/** The pair of a private key that is there. Rejects one of another kind. */
export async function keysOf(pem: string): Promise<webcrypto.CryptoKeyPair> {
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
  return KeyObject.from(key).export({ type: "pkcs8", format: "pem" }).toString()
}

export function exportPublicKey(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: "spki", format: "pem" }).toString()
}
