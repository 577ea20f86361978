import { type AlternativeNames, noNames } from "./alternative-names.ts"
import { extensionValue, namesOf } from "./certificate-request.ts"
import { DerFault, derInside, derTags, derTime, derValues, malformed } from "./der.ts"
import { parseSubject, type Subject } from "./subject.ts"

/** What certificates are read for here. */
export interface Certificate {
  readonly subject: Subject
  readonly names: AlternativeNames
  /** The subject as it is written: what certificates that it signs have as their issuer. */
  readonly rawSubject: Uint8Array
  /** Milliseconds. */
  readonly notBefore: number
  readonly notAfter: number
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array
  /** What certificates that it signs name it by; undefined where it has none. */
  readonly subjectKeyId: Uint8Array | undefined
  readonly isAuthority: boolean
}

const subjectKeyIdentifier = "2.5.29.14"
const basicConstraints = "2.5.29.19"
const versionTag = 0xa0
const extensionsTag = 0xa3

/** Reads a certificate (DER). Throws a DerFault for anything else. */
export function parseCertificate(der: Uint8Array): Certificate {
  const [certificate, ...trailing] = derValues(der)
  if (trailing.length > 0) throw new DerFault("x509: trailing data")
  const [info] = derInside(certificate)
  const fields = derInside(info).filter(({ tag }) => tag !== versionTag)
  const [, , , validity, subject, publicKey] = fields
  const [notBefore, notAfter] = derInside(validity)
  if (publicKey === undefined || notBefore === undefined || notAfter === undefined || subject === undefined) throw new DerFault(malformed)
  const wrapped = fields.find(({ tag }) => tag === extensionsTag)
  const extensions = wrapped && derValues(wrapped.content)[0]
  const keyId = extensions && extensionValue(extensions, subjectKeyIdentifier)
  const constraints = extensions && extensionValue(extensions, basicConstraints)
  return {
    subject: parseSubject(subject),
    names: (extensions && namesOf(extensions)) ?? noNames,
    rawSubject: subject.whole,
    notBefore: derTime(notBefore),
    notAfter: derTime(notAfter),
    publicKey: publicKey.whole,
    subjectKeyId: keyId && derValues(keyId)[0]?.content,
    isAuthority: constraints !== undefined && derInside(derValues(constraints)[0])[0]?.tag === derTags.boolean,
  }
}
