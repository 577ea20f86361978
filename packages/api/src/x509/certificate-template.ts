import { type AlternativeNames, derAlternativeNames, hasNames } from "./alternative-names.ts"
import { derBits, derBoolean, derBytes, derIdentifier, derInteger, derSequence, derTimeValue, derValue } from "./der-writer.ts"
import { keyUsages } from "./key-usages.ts"
import { pemText } from "./pem.ts"
import { derSubject, type Subject } from "./subject.ts"

/** What a certificate is to say. */
export interface CertificateTemplate {
  readonly subject: Subject
  readonly names: AlternativeNames
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array
  /** As in a CertificateSigningRequest: "client auth". */
  readonly usages: readonly string[]
  /** Milliseconds. */
  readonly notBefore: number
  readonly notAfter: number
  /** A number that no other certificate of its issuer has. */
  readonly serialNumber: Uint8Array
  readonly isAuthority?: boolean
  /** Of an authority: what certificates that it signs name it by. */
  readonly subjectKeyId?: Uint8Array
}

/** How an authority signs, and what it is called. */
export interface Issuer {
  /** Its subject as it is written in its own certificate; its template's for one that signs itself. */
  readonly rawSubject: Uint8Array
  readonly subjectKeyId: Uint8Array | undefined
  /** AlgorithmIdentifier, DER. */
  readonly algorithm: Uint8Array
  sign(bytes: Uint8Array): Uint8Array
}

/** Signs certificates: on `up` the cluster's own authority, for `run` those of its files. */
export interface CertificateAuthority {
  /** When its own certificate ends, in milliseconds: none that it signs lasts longer. */
  readonly notAfter: number
  /** Returns a certificate (PEM). */
  sign(template: CertificateTemplate): string
}

/** Writes and signs a certificate (PEM), its extensions in Go's order. */
export function signCertificate(template: CertificateTemplate, issuer: Issuer): string {
  const { serialNumber, notBefore, notAfter, subject, publicKey } = template
  const info = derSequence(
    versionThree,
    derInteger(serialNumber),
    issuer.algorithm,
    issuer.rawSubject,
    derSequence(derTimeValue(notBefore), derTimeValue(notAfter)),
    derSubject(subject),
    publicKey,
    derValue(0xa3, derSequence(...extensionsOf(template, issuer))),
  )
  return pemText("CERTIFICATE", derSequence(info, issuer.algorithm, derBits(issuer.sign(info))))
}

const versionThree = derValue(0xa0, derInteger(Uint8Array.of(2)))

function extensionsOf(
  { usages, names, subject, isAuthority = false, subjectKeyId }: CertificateTemplate,
  issuer: Issuer,
): readonly Uint8Array[] {
  const { bits, extended } = keyUsages(usages)
  const isNameless = subject.commonName === "" && subject.organizations.length === 0 && subject.others === undefined
  return [
    ...(bits.length > 0 ? [extension("2.5.29.15", usageBits(bits), true)] : []),
    ...(extended.length > 0 ? [extension("2.5.29.37", derSequence(...extended.map(derIdentifier)))] : []),
    extension("2.5.29.19", isAuthority ? derSequence(derBoolean(true)) : derSequence(), true),
    ...(subjectKeyId === undefined ? [] : [extension("2.5.29.14", derBytes(subjectKeyId))]),
    ...(issuer.subjectKeyId === undefined ? [] : [extension("2.5.29.35", derSequence(derValue(0x80, issuer.subjectKeyId)))]),
    ...(hasNames(names) ? [extension("2.5.29.17", derAlternativeNames(names), isNameless)] : []),
  ]
}

function extension(identifier: string, value: Uint8Array, critical = false): Uint8Array {
  return derSequence(derIdentifier(identifier), ...(critical ? [derBoolean(true)] : []), derBytes(value))
}

/** DER leaves out the zeros at the end. */
function usageBits(bits: readonly number[]): Uint8Array {
  const last = Math.max(...bits)
  const bytes = new Uint8Array(Math.floor(last / 8) + 1)
  for (const bit of bits) bytes[Math.floor(bit / 8)]! |= 0x80 >> (bit % 8)
  return derBits(bytes, 7 - (last % 8))
}
