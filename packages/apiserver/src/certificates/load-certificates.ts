import { createPublicKey, type KeyObject, type X509Certificate } from "node:crypto"
import { caSubject, fileNames, type PairNames, pairNames, serverNames } from "./certificate-names.ts"
import type { CertificateOptions, Certificates, KeyAndCertificate, StoredCertificates } from "./certificates.ts"
import { invalidFile } from "./invalid-file.ts"
import { type Parsed, readCertificate, readPrivateKey, readPublicKey } from "./read-pem.ts"
import { isCurrent } from "./renewal-time.ts"

/** Who signs here. Its certificate may be still to be made, of a key that is there. */
interface Authority {
  readonly publicKey: KeyObject
  readonly certificate: X509Certificate | undefined
}

interface Read {
  readonly certificate: Parsed<X509Certificate> | undefined
  readonly key: Parsed<KeyObject> | undefined
}

/** What of a pair can be used: all of it, its key, or nothing. */
interface Usable {
  readonly pair?: KeyAndCertificate | undefined
  /** Its certificate is to be recreated. */
  readonly key?: string | undefined
}

/**
 * Reads what there is, and leaves out what must be created. A file that an administrator may have put there is never left out, for it would be written
 * over: what does not fit is refused.
 */
export function loadCertificates(options: CertificateOptions): StoredCertificates {
  const read = readAuthority(options)
  const [ca, authority] = [usableAuthority(read), authorityOf(read)]
  const server = usableLeaf(options, pairNames.server, authority, (certificate) => hasNames(certificate, options))
  const admin = usableLeaf(options, pairNames.admin, authority, () => true)
  return {
    ca: ca.pair,
    server: server.pair,
    admin: admin.pair,
    serviceAccount: readServiceAccountKey(options),
    keys: { ca: ca.key, server: server.key, admin: admin.key },
  }
}

function readAuthority(options: CertificateOptions): Read {
  const names = pairNames.ca
  const read = readPair(options, names)
  const { certificate, key } = read
  if (certificate === undefined) return read
  if (key === undefined) throw invalidFile(options, names.key, `the key of ${names.certificate}`, "none")
  if (!certificate.parsed.ca) throw invalidFile(options, names.certificate, "the certificate of an authority", describe(certificate.parsed))
  checkTime(options, names.certificate, certificate.parsed)
  return read
}

function usableAuthority({ certificate, key }: Read): Usable {
  if (certificate === undefined || key === undefined) return { key: key?.text }
  return { pair: { certificate: certificate.text, key: key.text } }
}

function authorityOf({ certificate, key }: Read): Authority | undefined {
  return key && { publicKey: createPublicKey(key.parsed), certificate: certificate?.parsed }
}

/** One of ours that ends soon or lacks a name gets a new certificate for the key it has: a crash on the way leaves a pair that fits. */
function usableLeaf(
  options: CertificateOptions,
  names: PairNames,
  authority: Authority | undefined,
  fits: (certificate: X509Certificate) => boolean,
): Usable {
  const { certificate, key } = readPair(options, names)
  if (certificate === undefined) return { key: key?.text }
  if (authority === undefined) {
    throw invalidFile(options, fileNames.caCertificate, `the authority that signed ${names.certificate}, and its key`, "neither")
  }
  const wanted = `a certificate that ${fileNames.caCertificate} signed`
  if (!isSignedBy(certificate.parsed, authority)) throw invalidFile(options, names.certificate, wanted, describe(certificate.parsed))
  if (key === undefined || !isCurrent(certificate.parsed, options.clock) || !fits(certificate.parsed)) return { key: key?.text }
  return { pair: { certificate: certificate.text, key: key.text } }
}

/** Both are whole, and belong together. */
function readPair(options: CertificateOptions, names: PairNames): Read {
  const [certificate, key] = [readCertificate(options, names.certificate), readPrivateKey(options, names.key)]
  if (certificate !== undefined && key !== undefined && !certificate.parsed.checkPrivateKey(key.parsed)) {
    throw invalidFile(options, names.key, `the key of ${names.certificate}`, "another key")
  }
  return { certificate, key }
}

function checkTime(options: CertificateOptions, name: string, { validFrom, validTo }: X509Certificate): void {
  const now = options.clock.now()
  if (Date.parse(validTo) <= now) throw invalidFile(options, name, "a certificate whose time is not over", `one that ended on ${validTo}`)
  if (Date.parse(validFrom) > now) {
    throw invalidFile(options, name, "a certificate whose time has begun", `one that begins on ${validFrom} (is the clock right?)`)
  }
}

function isSignedBy(certificate: X509Certificate, { publicKey, certificate: issuer }: Authority): boolean {
  if (!certificate.verify(publicKey)) return false
  // One that is still to be made will have our name: who was signed under another would not be known by it.
  return issuer === undefined ? certificate.issuer === caSubject : certificate.checkIssued(issuer)
}

function hasNames(certificate: X509Certificate, { serviceIp, addresses }: CertificateOptions): boolean {
  const { dns, ip } = serverNames(serviceIp, addresses)
  return dns.every((name) => certificate.checkHost(name) !== undefined) && ip.every((address) => certificate.checkIP(address) !== undefined)
}

function describe({ subject, issuer }: X509Certificate): string {
  const line = (text: string) => text.replaceAll("\n", ", ")
  return `that of ${line(subject)}, signed by ${line(issuer)}`
}

const { serviceAccountKey, serviceAccountPublicKey } = fileNames

/** Undefined where there is none. With another key than before no token that was given out would be known any more: that is refused. */
function readServiceAccountKey(options: CertificateOptions): Certificates["serviceAccount"] | undefined {
  const [key, known] = [readPrivateKey(options, serviceAccountKey), readPublicKey(options, serviceAccountPublicKey)]
  if (key === undefined) {
    if (known === undefined) return undefined
    throw invalidFile(options, serviceAccountKey, `the key of ${serviceAccountPublicKey}`, "none")
  }
  const own = createPublicKey(key.parsed)
  if (known !== undefined && !known.parsed.equals(own)) {
    throw invalidFile(options, serviceAccountKey, `the key of ${serviceAccountPublicKey}`, "another key")
  }
  return { key: key.text, publicKey: own.export({ type: "spki", format: "pem" }).toString() }
}
