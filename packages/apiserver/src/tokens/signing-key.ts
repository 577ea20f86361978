import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto"
import { messageOf, PilothouseError } from "@pilothouse/seams"

/** A key and how tokens are signed with it. */
export interface Key {
  readonly key: KeyObject
  /** As in the header of a token. */
  readonly algorithm: string
  readonly hash: "sha256" | "sha384" | "sha512"
}

const curves: Readonly<Record<string, Omit<Key, "key">>> = {
  prime256v1: { algorithm: "ES256", hash: "sha256" },
  secp384r1: { algorithm: "ES384", hash: "sha384" },
  secp521r1: { algorithm: "ES512", hash: "sha512" },
}

export function keyOf(key: KeyObject): Key {
  const { asymmetricKeyType: type = "", asymmetricKeyDetails: details } = key
  if (type === "rsa") return { key, algorithm: "RS256", hash: "sha256" }
  const curve = curves[details?.namedCurve ?? ""]
  if (type === "ec" && curve !== undefined) return { key, ...curve }
  throw new PilothouseError("INVALID", `expected an RSA or ECDSA key for the tokens of service accounts, found one of type "${type}"`)
}

/** Returns all public keys of a PEM text; also those of private keys and certificates too. */
export function keysIn(pem: string): readonly Key[] {
  return blocksIn(pem)
    .filter((block) => !block.includes("EC PARAMETERS"))
    .map((block) => keyOf(publicKeyIn(block)))
}

/** The blocks that are whole, each with its first and last line. */
function blocksIn(pem: string): readonly string[] {
  const begin = "-----BEGIN "
  return pem
    .split(begin)
    .slice(1)
    .flatMap((rest) => {
      const [, label = ""] = /^([A-Z ]+)-----/.exec(rest) ?? []
      const end = `-----END ${label}-----`
      const at = label === "" ? -1 : rest.indexOf(end)
      return at < 0 ? [] : [`${begin}${rest.slice(0, at + end.length)}`]
    })
}

function publicKeyIn(block: string): KeyObject {
  try {
    return createPublicKey(block)
  } catch (error) {
    throw new PilothouseError(
      "INVALID",
      `expected a PEM key for the tokens of service accounts, found something else (${messageOf(error)})`,
    )
  }
}

export function isSignedBy({ key, hash }: Key, text: Uint8Array, signature: Uint8Array): boolean {
  return verify(hash, text, { key, dsaEncoding: "ieee-p1363" }, signature)
}

export function idOf({ key }: Key): string {
  return createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url")
}

/** As a JSON Web Key, with its fields in upstream's order. */
export function jsonWebKey(key: Key): Readonly<Record<string, unknown>> {
  const { kty, crv, x, y, n, e } = key.key.export({ format: "jwk" })
  const parts = kty === "EC" ? { crv, alg: key.algorithm, x, y } : { alg: key.algorithm, n, e }
  return { use: "sig", kty, kid: idOf(key), ...parts }
}
