import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, type X509Certificate } from "node:crypto"
import { derSubject, noNames, type Subject, signCertificate } from "@pilothouse/api/x509"
import { signatureBy } from "./certificate-authority.ts"
import type { PairNames } from "./certificate-names.ts"
import type { CertificateOptions, KeyAndCertificate } from "./certificates.ts"
import type { FrontProxy } from "./front-proxy.ts"
import { invalidFile, unreadableFile } from "./invalid-file.ts"
import { readCertificate, readPrivateKey } from "./read-pem.ts"
import { isCurrent } from "./renewal-time.ts"
import { save } from "./save-certificates.ts"
import { validity, year } from "./validity.ts"

const curve = "prime256v1"

export interface ServingCertificateOptions extends Pick<CertificateOptions, "files" | "directory" | "clock" | "random"> {
  /** Of the two files, without their endings; the subject of a certificate that is made has it too. */
  readonly name: string
  /** Addresses besides loopback that clients call it by. */
  readonly addresses?: readonly string[]
}

/**
 * One certificate that signs itself, for a port that only has to be encrypted: made at the first start, kept with a private key, and used again. One
 * of ours that is past two thirds of its life or lacks an address is issued again for the key it has; a foreign one is used as it is.
 */
export async function ensureServingCertificate(options: ServingCertificateOptions): Promise<KeyAndCertificate> {
  return ensureSelfSigned(options, "server")
}

const frontProxyName = "front-proxy-client"

/**
 * The client certificate that extension servers know this server by, as kubeadm names it. It signs itself, so that nothing can sign another that they
 * would take for it: its authority is the certificate.
 */
export async function ensureFrontProxy(options: Omit<ServingCertificateOptions, "name" | "addresses">): Promise<FrontProxy> {
  const pair = await ensureSelfSigned({ ...options, name: frontProxyName }, "client")
  return { client: () => pair, ca: pair.certificate, allowedNames: [frontProxyName] }
}

async function ensureSelfSigned(options: ServingCertificateOptions, usage: "server" | "client"): Promise<KeyAndCertificate> {
  const files = { certificate: `${options.name}.crt`, key: `${options.name}.key` }
  const [certificate, key] = read(options, files)
  const isKept = certificate && (!isOurs(certificate.parsed, options) || isFit(certificate.parsed, options, usage))
  if (isKept && key !== undefined) return { certificate: certificate.text, key: key.text }
  const made = issueSelfSigned({ subject: subjectOf(options), usage, ...namesOf(options), key: key?.text, keyFile: files.key }, options)
  options.files.makeDirectory(options.directory, 0o700)
  // The key first: after a crash between them a certificate is made for the key that is there.
  if (made.key !== key?.text) save(options, files.key, made.key, 0o600)
  save(options, files.certificate, made.certificate)
  return made
}

function read(options: ServingCertificateOptions, names: PairNames) {
  const [certificate, key] = [readCertificate(options, names.certificate), readPrivateKey(options, names.key)] as const
  if (certificate !== undefined && key === undefined && !isOurs(certificate.parsed, options))
    throw invalidFile(options, names.key, `the key of ${names.certificate}`, "none")
  const isOfKey = certificate === undefined || key === undefined || certificate.parsed.checkPrivateKey(key.parsed)
  // A certificate of this server is from before a crash that left a new key: it is recreated.
  if (!isOfKey && isOurs(certificate.parsed, options)) return [undefined, key] as const
  if (!isOfKey) throw invalidFile(options, names.key, `the key of ${names.certificate}`, "another key")
  return [certificate, key] as const
}

function subjectOf({ name }: ServingCertificateOptions): Subject {
  return { commonName: name, organizations: ["pilothouse"] }
}

/** Earlier versions wrote the common name first. */
function isOurs({ subject, issuer }: X509Certificate, { name }: ServingCertificateOptions): boolean {
  return subject === issuer && [`O=pilothouse\nCN=${name}`, `CN=${name}\nO=pilothouse`].includes(subject)
}

function namesOf({ addresses = [] }: ServingCertificateOptions) {
  return { dns: ["localhost"], ip: [...new Set(["127.0.0.1", "::1", ...addresses])] }
}

function isFit(certificate: X509Certificate, options: ServingCertificateOptions, usage: "server" | "client"): boolean {
  if (!isCurrent(certificate, options.clock)) return false
  return usage === "client" || namesOf(options).ip.every((ip) => certificate.checkIP(ip) !== undefined)
}

interface SelfSigned {
  readonly subject: Subject
  readonly usage: "server" | "client"
  /** Names that clients call a server by. */
  readonly dns: readonly string[]
  readonly ip: readonly string[]
  /** PEM of the key that is there; one is made where there is none. */
  readonly key: string | undefined
  /** The file of that key. */
  readonly keyFile: string
}

/**
 * A self-signed certificate: who checks it trusts this very one, or does not verify. Without the certificate library, which the first start of an API server
 * would otherwise load for it: 0.5 MB of code.
 */
function issueSelfSigned(
  { subject, usage, key, keyFile, dns, ip }: SelfSigned,
  options: Pick<CertificateOptions, "directory" | "clock" | "random">,
): KeyAndCertificate {
  const privateKey = key === undefined ? generateKeyPairSync("ec", { namedCurve: curve }).privateKey : privateKeyOf(key, keyFile, options)
  const template = {
    // That of a server is renewed while it runs.
    ...validity(options, usage === "server" ? year : 10 * year),
    subject,
    publicKey: createPublicKey(privateKey).export({ type: "spki", format: "der" }),
    usages: ["digital signature", `${usage} auth`],
    names: usage === "server" ? { ...noNames, dns, ip } : noNames,
  }
  const certificate = signCertificate(template, { rawSubject: derSubject(subject), subjectKeyId: undefined, ...signatureBy(privateKey) })
  return { certificate, key: key ?? privateKey.export({ type: "sec1", format: "pem" }).toString() }
}

/** Any key may serve; only ours can be made certificates with. */
function privateKeyOf(pem: string, file: string, options: Pick<CertificateOptions, "directory">): KeyObject {
  const key = createPrivateKey(pem)
  const found = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType
  if (found === curve) return key
  throw unreadableFile(options, file, { expected: "an ECDSA key of the curve P-256", why: `it is of ${found}`, cause: undefined })
}
