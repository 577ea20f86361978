import { generateKeyPairSync } from "node:crypto"

/** What the tokens of a cluster's service accounts are signed with; another one for each cluster. Synchronous, so that virtual time holds. */
export function serviceAccountKey(): { readonly key: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
  }
}
