import { createPrivateKey, sign } from "node:crypto"
import { PilothouseError } from "@pilothouse/seams"
import { idOf, isSignedBy, type Key, keyOf, keysIn } from "./signing-key.ts"
import { decodedPart, encodedPart } from "./token-parts.ts"

/** PEM texts. RSA or ECDSA, as kube-apiserver takes them. */
export interface SigningKeys {
  readonly key: string
  readonly publicKey: string
  /** Of others whose tokens are good here too: keys that were in use before, or those of a controller manager. */
  readonly publicKeys?: readonly string[]
}

export type Claims = Readonly<Record<string, unknown>>

/** JSON Web Tokens by RS256 and ES256 … ES512. Signing is synchronous: in virtual time nothing may wait for the thread pool. */
export class Jwt {
  readonly #private: Key
  readonly #public: readonly Key[]
  /** So that a verifier with several keys finds the one. */
  readonly #id: string

  constructor({ key, publicKey, publicKeys = [] }: SigningKeys) {
    this.#private = keyOf(createPrivateKey(key))
    const [own, ...others] = [publicKey, ...publicKeys].flatMap(keysIn)
    if (own === undefined) throw new PilothouseError("INVALID", "expected a public key for the tokens of service accounts, found none")
    this.#public = [own, ...others]
    this.#id = idOf(own)
  }

  sign(claims: Claims): string {
    const { algorithm, hash, key } = this.#private
    const text = `${encodedPart({ alg: algorithm, kid: this.#id })}.${encodedPart(claims)}`
    return `${text}.${sign(hash, Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`
  }

  /** What a token says, if one of our keys has signed it. Whether it holds now is for the caller to see. */
  verify(token: string): Claims | undefined {
    const [header = "", payload = "", signature = "", ...more] = token.split(".")
    const algorithm = decodedPart(header)?.alg
    if (more.length > 0 || signature === "" || algorithm === undefined) return undefined
    const text = Buffer.from(`${header}.${payload}`)
    const bytes = Buffer.from(signature, "base64url")
    const good = this.#public.some((key) => key.algorithm === algorithm && isSignedBy(key, text, bytes))
    return good ? decodedPart(payload) : undefined
  }
}
