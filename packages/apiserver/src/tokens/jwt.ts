import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto"

/** PEM texts of an ECDSA P-256 pair. */
export interface SigningKeys {
  readonly key: string
  readonly publicKey: string
}

export type Claims = Readonly<Record<string, unknown>>

/** JSON Web Tokens by ES256. Signing is synchronous: in virtual time nothing may wait for the thread pool. */
export class Jwt {
  readonly #private: KeyObject
  readonly #public: KeyObject
  /** So that a verifier with several keys finds the one. */
  readonly #id: string

  constructor({ key, publicKey }: SigningKeys) {
    this.#private = createPrivateKey(key)
    this.#public = createPublicKey(publicKey)
    this.#id = createHash("sha256")
      .update(this.#public.export({ type: "spki", format: "der" }))
      .digest("base64url")
  }

  sign(claims: Claims): string {
    const text = `${encoded({ alg: "ES256", kid: this.#id })}.${encoded(claims)}`
    const signature = sign("sha256", Buffer.from(text), { key: this.#private, dsaEncoding: "ieee-p1363" })
    return `${text}.${signature.toString("base64url")}`
  }

  /** What a token says, if we have signed it. Whether it holds now is for the caller to see. */
  verify(token: string): Claims | undefined {
    const [header = "", payload = "", signature = "", ...more] = token.split(".")
    if (more.length > 0 || signature === "" || decoded(header)?.alg !== "ES256") return undefined
    const bytes = Buffer.from(signature, "base64url")
    const good = verify("sha256", Buffer.from(`${header}.${payload}`), { key: this.#public, dsaEncoding: "ieee-p1363" }, bytes)
    return good ? decoded(payload) : undefined
  }
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url")
}

function decoded(text: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
    return typeof value === "object" && value !== null ? (value as Claims) : undefined
  } catch {
    // Anybody can send anything as a token: what is no JSON is none of ours.
    return undefined
  }
}
