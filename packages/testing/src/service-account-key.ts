import { generateKeyPairSync } from "node:crypto"

interface KeyPair {
  readonly key: string
  readonly publicKey: string
}

/**
 * What the tokens of a cluster's service accounts are signed with; another one for each cluster, and made when the first token is asked for:
 * most tests ask for none. Synchronous, so that virtual time holds.
 */
export function serviceAccountKey(): () => KeyPair {
  let made: KeyPair | undefined
  return () => (made ??= generated())
}

function generated(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
  }
}
