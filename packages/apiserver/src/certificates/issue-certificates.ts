// First: the library asks for the metadata functions while it loads.
import "reflect-metadata"
import type { webcrypto } from "node:crypto"
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509"
import { adminSubject, caSubject, pairNames, serverNames, serverSubject } from "./certificate-names.ts"
import type { CertificateOptions, Certificates, KeyAndCertificate, StoredCertificates } from "./certificates.ts"
import { exportPrivateKey, exportPublicKey, generateKeys, importPrivateKey, type Keys, keyAlgorithm, keysFor, requireP256 } from "./keys.ts"
import { validity, year } from "./validity.ts"

interface Authority {
  readonly pem: KeyAndCertificate
  readonly certificate: X509Certificate
  readonly key: webcrypto.CryptoKey
}

interface Leaf {
  readonly subject: string
  readonly usage: ExtendedKeyUsage
  readonly extensions: readonly Extension[]
}

/** Returns a complete set of certificates: what was loaded is kept, what is missing is issued by the loaded or a new authority. */
export async function issueMissing(loaded: StoredCertificates, options: CertificateOptions): Promise<Certificates> {
  const authority = await (loaded.ca ? readAuthority(loaded.ca, options) : issueAuthority(loaded, options))
  const leaf = async (part: "server" | "admin", leaf: Leaf) => issueLeaf(leaf, await keysFor(part, loaded, options), authority, options)
  const [server, admin, serviceAccount] = await Promise.all([
    loaded.server ?? leaf("server", serverLeaf(options)),
    loaded.admin ?? leaf("admin", adminLeaf),
    loaded.serviceAccount ?? generateServiceAccountKey(),
  ])
  return { ca: authority.pem, server, admin, serviceAccount }
}

const adminLeaf: Leaf = { subject: adminSubject, usage: ExtendedKeyUsage.clientAuth, extensions: [] }

function serverLeaf({ serviceIp, addresses }: CertificateOptions): Leaf {
  const names = alternativeNames(serverNames(serviceIp, addresses))
  return { subject: serverSubject, usage: ExtendedKeyUsage.serverAuth, extensions: [names] }
}

function alternativeNames({ dns, ip }: { readonly dns: readonly string[]; readonly ip: readonly string[] }): Extension {
  const names = [...dns.map((value) => ({ type: "dns" as const, value })), ...ip.map((value) => ({ type: "ip" as const, value }))]
  return new SubjectAlternativeNameExtension(names)
}

async function readAuthority(pem: KeyAndCertificate, options: CertificateOptions): Promise<Authority> {
  const key = await requireP256(importPrivateKey(pem.key), pairNames.ca.key, options)
  return { pem, certificate: new X509Certificate(pem.certificate), key }
}

async function issueAuthority(loaded: StoredCertificates, options: CertificateOptions): Promise<Authority> {
  const { pair: keys, pem } = await keysFor("ca", loaded, options)
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validFor(options, 10 * year),
    name: caSubject,
    keys,
    signingAlgorithm: keyAlgorithm,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { pem: { certificate: pemOf(certificate), key: pem }, certificate, key: keys.privateKey }
}

async function issueLeaf(leaf: Leaf, keys: Keys, authority: Authority, options: CertificateOptions): Promise<KeyAndCertificate> {
  const certificate = await X509CertificateGenerator.create({
    ...validFor(options, year),
    subject: leaf.subject,
    issuer: authority.certificate.subject,
    publicKey: keys.pair.publicKey,
    signingKey: authority.key,
    signingAlgorithm: keyAlgorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([leaf.usage]),
      // Python's strict verification (3.13 and later) refuses a certificate without it.
      await AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
      ...leaf.extensions,
    ],
  })
  return { certificate: pemOf(certificate), key: keys.pem }
}

async function generateServiceAccountKey(): Promise<Certificates["serviceAccount"]> {
  const keys = await generateKeys()
  return { key: await exportPrivateKey(keys.privateKey), publicKey: await exportPublicKey(keys.publicKey) }
}

/** In the words of the library. */
function validFor(options: Pick<CertificateOptions, "clock" | "random">, length: number) {
  const { notBefore, notAfter, serialNumber } = validity(options, length)
  return { notBefore: new Date(notBefore), notAfter: new Date(notAfter), serialNumber: Buffer.from(serialNumber).toString("hex") }
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString("pem")}\n`
}
