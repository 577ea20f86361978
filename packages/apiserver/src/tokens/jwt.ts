import { createPrivateKey, sign } from "node:crypto"
import { PilothouseError } from "@pilothouse/seams"
import { idOf, isSignedBy, type Key, keyOf, keysIn } from "./signing-key.ts"

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
  readonly #make: () => ReadKeys
  #made: ReadKeys | undefined

  /** Keys that come from a function are asked for when the first token is: to make some costs more than all else of a test's server. */
  constructor(keys: SigningKeys | (() => SigningKeys)) {
    if (typeof keys !== "function") this.#made = readKeys(keys)
    this.#make = () => readKeys(typeof keys === "function" ? keys() : keys)
  }

  get #keys(): ReadKeys {
    return (this.#made ??= this.#make())
  }

  sign(claims: Claims): string {
    const { own, id } = this.#keys
    const { algorithm, hash, key } = own
    const text = `${encodedPart({ alg: algorithm, kid: id })}.${encodedPart(claims)}`
    return `${text}.${sign(hash, Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`
  }

  /** What a token says, if one of our keys has signed it. Whether it holds now is for the caller to see. */
  verify(token: string): Claims | undefined {
    const [header = "", payload = "", signature = "", ...more] = token.split(".")
    const algorithm = decodedPart(header)?.alg
    if (more.length > 0 || signature === "" || algorithm === undefined) return undefined
    const text = Buffer.from(`${header}.${payload}`)
    const bytes = Buffer.from(signature, "base64url")
    const good = this.#keys.trusted.some((key) => key.algorithm === algorithm && isSignedBy(key, text, bytes))
    return good ? decodedPart(payload) : undefined
  }

  /** Those that tokens are checked with, for others who check them. */
  get trusted(): readonly Key[] {
    return this.#keys.trusted
  }
}

interface ReadKeys {
  /** Signs. */
  readonly own: Key
  readonly trusted: readonly Key[]
  /** So that a verifier with several keys finds the one. */
  readonly id: string
}

function readKeys({ key, publicKey, publicKeys = [] }: SigningKeys): ReadKeys {
  const [first, ...others] = [publicKey, ...publicKeys].flatMap(keysIn)
  if (first === undefined) throw new PilothouseError("INVALID", "expected a public key for the tokens of service accounts, found none")
  return { own: keyOf(createPrivateKey(key)), trusted: [first, ...others], id: idOf(first) }
}

/** A part of a token: JSON in base64url. */
function encodedPart(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url")
}

export function decodedPart(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    // A client can send any text as a token: one that is no JSON was not issued here.
    return undefined
  }
}
