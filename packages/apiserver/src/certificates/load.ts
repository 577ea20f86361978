import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto"
import { messageOf, PilothouseError, readText } from "@pilothouse/seams"
import type { CertificateOptions, Certificates, KeyAndCertificate, Loaded } from "./ensure.ts"
import { fileNames, serverNames } from "./names.ts"

/** What is left of a certificate's time when a new one is made. */
const renewBefore = 30 * 24 * 3_600_000

interface Pair {
  readonly pem: KeyAndCertificate
  readonly certificate: X509Certificate
}

/** Reads what there is, and leaves out what must be made anew. */
export function loadCertificates(options: CertificateOptions): Loaded {
  const ca = readPair(options, fileNames.caCertificate, fileNames.caKey)
  const server = ca && readPair(options, fileNames.serverCertificate, fileNames.serverKey)
  const admin = ca && readPair(options, fileNames.adminCertificate, fileNames.adminKey)
  return {
    ca: ca?.pem,
    server: server && isSignedBy(server, ca) && hasNames(server, options) ? server.pem : undefined,
    admin: admin && isSignedBy(admin, ca) ? admin.pem : undefined,
    serviceAccount: readServiceAccountKey(options),
  }
}

/** Undefined when a file is missing, the certificate ends soon, or the key is not its own. */
function readPair(options: CertificateOptions, certificateName: string, keyName: string): Pair | undefined {
  const certificateText = readPem(options, certificateName)
  const keyText = readPem(options, keyName)
  if (certificateText === undefined || keyText === undefined) return undefined
  const certificate = parse(options, certificateName, "a PEM certificate", () => new X509Certificate(certificateText))
  const key = readKey(options, keyName, keyText)
  const ends = Date.parse(certificate.validTo)
  if (ends - options.clock.now() < renewBefore || !certificate.checkPrivateKey(key)) return undefined
  return { pem: { certificate: certificateText, key: keyText }, certificate }
}

function readServiceAccountKey(options: CertificateOptions): Certificates["serviceAccount"] | undefined {
  const key = readPem(options, fileNames.serviceAccountKey)
  if (key === undefined) return undefined
  // The public key is written for others to read; ours always comes from the private one.
  const publicKey = createPublicKey(readKey(options, fileNames.serviceAccountKey, key)).export({ type: "spki", format: "pem" })
  return { key, publicKey: publicKey.toString() }
}

function isSignedBy({ certificate }: Pair, authority: Pair): boolean {
  return certificate.checkIssued(authority.certificate) && certificate.verify(authority.certificate.publicKey)
}

function hasNames({ certificate }: Pair, { serviceIp, addresses }: CertificateOptions): boolean {
  const { dns, ip } = serverNames(serviceIp, addresses)
  return dns.every((name) => certificate.checkHost(name) !== undefined) && ip.every((address) => certificate.checkIP(address) !== undefined)
}

function readPem({ files, directory }: CertificateOptions, name: string): string | undefined {
  return readText(files, `${directory}/${name}`)
}

function readKey(options: CertificateOptions, name: string, text: string): KeyObject {
  return parse(options, name, "a PEM private key", () => createPrivateKey(text))
}

function parse<T>({ directory }: CertificateOptions, name: string, expected: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const message = `expected ${expected} in ${directory}/${name}, found something else (${messageOf(error)})`
    throw new PilothouseError("FILE", `${message}; put the right file back, or remove ${directory} to have everything made anew`, {
      cause: error,
    })
  }
}
