import { generateKeyPairSync } from "node:crypto"
import { type CertificateAuthority, noNames } from "@pilothouse/api/x509"
import type { Certificates } from "@pilothouse/apiserver"
import type { Clock, Random } from "@pilothouse/seams"

const hour = 3_600_000
const year = 365 * 24 * hour

interface ClientCertificateOptions {
  readonly authority: CertificateAuthority
  readonly user: string
  readonly groups: readonly string[]
  readonly clock: Clock
  readonly random: Random
}

/** Returns a client certificate and its key (PEM), signed for a year or until the authority's own certificate ends. */
export function signClientCertificate({ authority, user, groups, clock, random }: ClientCertificateOptions): Certificates["admin"] {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const now = clock.now()
  const certificate = authority.sign({
    subject: { commonName: user, organizations: groups },
    names: noNames,
    publicKey: publicKey.export({ type: "spki", format: "der" }),
    usages: ["digital signature", "client auth"],
    notBefore: now - hour,
    notAfter: Math.min(now + year, authority.notAfter),
    serialNumber: random.bytes(16),
  })
  return { certificate, key: privateKey.export({ type: "sec1", format: "pem" }).toString() }
}
