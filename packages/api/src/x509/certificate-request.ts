import { type AlternativeNames, noNames, parseAlternativeNames } from "./alternative-names.ts"
import { DerFault, type DerValue, derInside, derName, derTags, derValues, malformed } from "./der.ts"
import { firstPemBlock } from "./pem.ts"
import { parseSubject, type Subject } from "./subject.ts"

/** A PKCS#10 request for a certificate. Nothing says yet that its signature is right. */
export interface CertificateRequest {
  readonly subject: Subject
  readonly names: AlternativeNames
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array
  /** What the signature is over. */
  readonly signed: Uint8Array
  /** The identifier of the signature's algorithm: "1.2.840.10045.4.3.2". */
  readonly algorithm: string
  readonly signature: Uint8Array
}

const extensionRequest = "1.2.840.113549.1.9.14"
const subjectAltName = "2.5.29.17"
const attributesTag = 0xa0

/** Reads a request (PEM, its first block). Throws a DerFault, in Go's words, for anything else. */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const block = firstPemBlock(pem)
  if (block?.type !== "CERTIFICATE REQUEST") throw new DerFault("PEM block type must be CERTIFICATE REQUEST")
  return parseDerCertificateRequest(block.bytes)
}

/** Reads a request (DER). Throws a DerFault, in Go's words, for anything else. */
export function parseDerCertificateRequest(der: Uint8Array): CertificateRequest {
  const [request, ...trailing] = derValues(der)
  if (request === undefined) throw new DerFault("asn1: syntax error: sequence truncated")
  if (trailing.length > 0) throw new DerFault("asn1: syntax error: trailing data")
  const [info, algorithm, signature] = derInside(request)
  const [, subject, publicKey, attributes] = derInside(info)
  const [name] = derInside(algorithm)
  if (publicKey === undefined || name?.tag !== derTags.name || signature?.tag !== derTags.bits) throw new DerFault(malformed)
  // Its first byte counts the bits that are left over: in a signature there are none.
  if (signature.content[0] !== 0) throw new DerFault("asn1: syntax error: invalid padding bits in BIT STRING")
  return {
    subject: parseSubject(subject),
    names: requestedNames(attributes),
    publicKey: publicKey.whole,
    signed: info!.whole,
    algorithm: derName(name.content),
    signature: signature.content.subarray(1),
  }
}

/** The names of the extensions that the request has among its attributes. */
function requestedNames(attributes: DerValue | undefined): AlternativeNames {
  if (attributes?.tag !== attributesTag) return noNames
  for (const attribute of derValues(attributes.content)) {
    const [type, values] = derInside(attribute)
    if (type?.tag !== derTags.name || derName(type.content) !== extensionRequest) continue
    const [extensions] = derInside(values, derTags.set)
    return namesOf(extensions) ?? noNames
  }
  return noNames
}

/** Returns the alternative names among extensions; undefined where there are none. */
export function namesOf(extensions: DerValue | undefined): AlternativeNames | undefined {
  const value = extensionValue(extensions, subjectAltName)
  return value && parseAlternativeNames(derValues(value)[0])
}

/** Returns the bytes of the extension of an identifier. */
export function extensionValue(extensions: DerValue | undefined, identifier: string): Uint8Array | undefined {
  for (const extension of derInside(extensions)) {
    const parts = derInside(extension)
    const value = parts.at(-1)
    if (parts[0]?.tag === derTags.name && derName(parts[0].content) === identifier && value?.tag === derTags.bytes) return value.content
  }
  return undefined
}
