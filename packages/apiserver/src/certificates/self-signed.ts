import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { derSubject, noNames, type Subject, signCertificate } from "@pilothouse/api/x509"
import { signatureBy } from "./certificate-authority.ts"
import type { CertificateOptions, KeyAndCertificate } from "./certificates.ts"
import { unreadableFile } from "./invalid-file.ts"
import { validity, year } from "./validity.ts"

export interface SelfSigned {
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
export function issueSelfSigned(
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

const curve = "prime256v1"

/** Any key may serve; only ours can be made certificates with. */
function privateKeyOf(pem: string, file: string, options: Pick<CertificateOptions, "directory">): KeyObject {
  const key = createPrivateKey(pem)
  const found = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType
  if (found === curve) return key
  throw unreadableFile(options, file, { expected: "an ECDSA key of the curve P-256", why: `it is of ${found}`, cause: undefined })
}
