import { createPublicKey, type KeyObject, verify } from "node:crypto"
import { DerFault, type DerValue, derName, derTags, derValues } from "./der.ts"

interface Algorithm {
  readonly key: "rsa" | "ec" | "ed25519"
  readonly hash: string | undefined
}

/** By the names that requests say them with. */
const algorithms: ReadonlyMap<string, Algorithm> = new Map([
  ["1.2.840.113549.1.1.5", { key: "rsa", hash: "sha1" }],
  ["1.2.840.113549.1.1.11", { key: "rsa", hash: "sha256" }],
  ["1.2.840.113549.1.1.12", { key: "rsa", hash: "sha384" }],
  ["1.2.840.113549.1.1.13", { key: "rsa", hash: "sha512" }],
  ["1.2.840.10045.4.1", { key: "ec", hash: "sha1" }],
  ["1.2.840.10045.4.3.2", { key: "ec", hash: "sha256" }],
  ["1.2.840.10045.4.3.3", { key: "ec", hash: "sha384" }],
  ["1.2.840.10045.4.3.4", { key: "ec", hash: "sha512" }],
  ["1.3.101.112", { key: "ed25519", hash: undefined }],
])

const goKeys: Readonly<Record<Algorithm["key"], { readonly name: string; readonly type: string; readonly failure: string }>> = {
  rsa: { name: "RSA", type: "*rsa.PublicKey", failure: "crypto/rsa: verification error" },
  ec: { name: "ECDSA", type: "*ecdsa.PublicKey", failure: "x509: ECDSA verification failure" },
  ed25519: { name: "Ed25519", type: "ed25519.PublicKey", failure: "x509: Ed25519 verification failure" },
}

const blockBegin = "-----BEGIN "
const blockEnd = "-----END "

const malformed = "asn1: structure error: tags don't match"

/** The fault of a certificate request (PEM), in Go's words; undefined when it is signed with the key that it names. */
export function certificateRequestFault(pem: string): string | undefined {
  const der = derOf(pem)
  if (der === undefined) return "PEM block type must be CERTIFICATE REQUEST"
  try {
    return signatureFault(der)
  } catch (error) {
    if (error instanceof DerFault) return error.message
    throw error
  }
}

/** Of the first block there is, whatever stands around it. */
function derOf(pem: string): Buffer | undefined {
  const { type, body } = firstBlock(pem) ?? {}
  if (type !== "CERTIFICATE REQUEST" || body === undefined) return undefined
  // A block may have headers, up to an empty line.
  const text = /^[^\n]*:/.test(body) ? body.slice(body.search(/\r?\n\r?\n/)) : body
  return Buffer.from(text, "base64")
}

/** From an end back to the last beginning before it, so that every character is read once: a client may send a million beginnings. */
function firstBlock(pem: string): { readonly type: string; readonly body: string } | undefined {
  let from = 0
  for (let end = pem.indexOf(blockEnd); end >= 0; end = pem.indexOf(blockEnd, from)) {
    const before = pem.slice(from, end)
    const begin = before.lastIndexOf(blockBegin)
    const block = begin < 0 ? "" : before.slice(begin + blockBegin.length)
    const [head = "", type] = /^([^-\n]+)-----[ \t]*\r?\n/.exec(block) ?? []
    if (type !== undefined && pem.startsWith(`${type}-----`, end + blockEnd.length)) return { type, body: block.slice(head.length) }
    from = end + blockEnd.length
  }
  return undefined
}

function signatureFault(der: Buffer): string | undefined {
  const [request, ...trailing] = derValues(der)
  if (trailing.length > 0) return "asn1: syntax error: trailing data"
  const [info, algorithm, signature] = derValues(inside(request))
  const [, , subjectKey] = derValues(inside(info))
  const [name] = derValues(inside(algorithm))
  if (subjectKey === undefined || name?.tag !== derTags.name || signature?.tag !== derTags.bits) return malformed
  // Its first byte counts the bits that are left over: in a signature there are none.
  if (signature.content[0] !== 0) return "asn1: syntax error: invalid padding bits in BIT STRING"
  const known = algorithms.get(derName(name.content))
  const key = keyOf(subjectKey)
  if (known === undefined || key === undefined) return "x509: cannot verify signature: algorithm unimplemented"
  const kind = key.asymmetricKeyType as Algorithm["key"]
  if (kind !== known.key) {
    return `x509: signature algorithm specifies an ${goKeys[known.key].name} public key, but have public key of type ${goKeys[kind].type}`
  }
  return verify(known.hash, info!.whole, key, signature.content.subarray(1)) ? undefined : goKeys[kind].failure
}

function inside(value: DerValue | undefined): Buffer {
  if (value?.tag !== derTags.sequence) throw new DerFault(malformed)
  return value.content
}

/** Undefined for one of a kind that is not known here. */
function keyOf({ whole }: DerValue): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: whole, format: "der", type: "spki" })
    return Object.hasOwn(goKeys, key.asymmetricKeyType ?? "") ? key : undefined
  } catch {
    // A key that OpenSSL cannot read cannot have signed the request.
    return undefined
  }
}
