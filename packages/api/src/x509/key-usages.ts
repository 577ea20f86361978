import { DerFault } from "./der.ts"

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

/** What a certificate may be used for, as its extensions say it. */
export interface KeyUsages {
  /** Sorted numbers of bits; empty for no extension. */
  readonly bits: readonly number[]
  /** Identifiers, each once. */
  readonly extended: readonly string[]
}

/** Translates the usages of a CertificateSigningRequest. Throws, in upstream's words, for those that are not known. */
export function keyUsages(usages: readonly string[]): KeyUsages {
  const unknown = usages.filter((usage) => !Object.hasOwn(bits, usage) && !Object.hasOwn(extended, usage))
  if (unknown.length > 0) throw new DerFault(`unrecognized usage values: [${unknown.map((usage) => JSON.stringify(usage)).join(" ")}]`)
  const given = new Set(usages)
  const numbers = Object.keys(bits).flatMap((usage) => (given.has(usage) ? [bits[usage]!] : []))
  const identifiers = Object.keys(extended).flatMap((usage) => (given.has(usage) ? [extended[usage]!] : []))
  return { bits: [...new Set(numbers)], extended: [...new Set(identifiers)] }
}
