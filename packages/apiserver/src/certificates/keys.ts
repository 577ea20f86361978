import { createPrivateKey, KeyObject, webcrypto } from "node:crypto"

/** Small, quick to make, and known to every TLS library. */
export const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

export function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"])
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
