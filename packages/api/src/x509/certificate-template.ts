import { type AlternativeNames, derAlternativeNames, hasNames } from "./alternative-names.ts"
import { DerFault } from "./der.ts"
import { derBits, derBoolean, derBytes, derIdentifier, derInteger, derSequence, derTimeValue, derValue } from "./der-writer.ts"
import { pemText } from "./pem.ts"
import { derSubject, type Subject } from "./subject.ts"

/** The bit of each key usage, from the first of the bit string on. */
const bits: Readonly<Record<string, number>> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
}

/** The identifiers of extended key usages, in the order in which Go writes them. */
const extended: Readonly<Record<string, string>> = {
  any: "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
}

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

/** What a certificate may be used for, as its extensions say it. */
interface KeyUsages {
  /** Sorted numbers of bits; empty for no extension. */
  readonly bits: readonly number[]
  /** Identifiers, each once. */
  readonly extended: readonly string[]
}

/** Translates the usages of a CertificateSigningRequest. Throws, in upstream's words, for those that are not known. */
function keyUsages(usages: readonly string[]): KeyUsages {
  const unknown = usages.filter((usage) => !Object.hasOwn(bits, usage) && !Object.hasOwn(extended, usage))
  if (unknown.length > 0) throw new DerFault(`unrecognized usage values: [${unknown.map((usage) => JSON.stringify(usage)).join(" ")}]`)
  const given = new Set(usages)
  const numbers = Object.keys(bits).flatMap((usage) => (given.has(usage) ? [bits[usage]!] : []))
  const identifiers = Object.keys(extended).flatMap((usage) => (given.has(usage) ? [extended[usage]!] : []))
  return { bits: [...new Set(numbers)], extended: [...new Set(identifiers)] }
}
