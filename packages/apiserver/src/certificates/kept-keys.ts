import type { webcrypto } from "node:crypto"
import { messageOf } from "@pilothouse/seams"
import type { CertificateOptions, Loaded } from "./ensure.ts"
import { exportPrivateKey, keysOf, makeKeys } from "./keys.ts"
import { pairNames } from "./names.ts"
import { unlikeFile } from "./refused.ts"

export interface Keys {
  readonly pair: webcrypto.CryptoKeyPair
  /** Of the private one: its file's own where there is one. */
  readonly pem: string
}

/** Those that are there, or new ones. */
export async function keysFor(part: keyof Loaded["keys"], { keys }: Loaded, options: CertificateOptions): Promise<Keys> {
  const pem = keys[part]
  if (pem !== undefined) return { pair: await ofOurKind(keysOf(pem), pairNames[part].key, options), pem }
  const pair = await makeKeys()
  return { pair, pem: exportPrivateKey(pair.privateKey) }
}

/** Any key may serve; only ours can be made certificates with. */
export async function ofOurKind<T>(imported: Promise<T>, name: string, options: Pick<CertificateOptions, "directory">): Promise<T> {
  try {
    return await imported
  } catch (error) {
    throw unlikeFile(options, name, { expected: "an ECDSA key of the curve P-256", why: messageOf(error), cause: error })
  }
}
