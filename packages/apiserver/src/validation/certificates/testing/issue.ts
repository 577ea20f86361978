import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import {
  type CertificateTemplate,
  derIdentifier,
  derSequence,
  derSubject,
  derTags,
  derValue,
  firstPemBlock,
  noNames,
  signCertificate,
} from "@pilothouse/api/x509"
import { signatureBy } from "../../../certificates/certificate-authority.ts"

export interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export const ecKey = (namedCurve: string): KeyPair => generateKeyPairSync("ec", { namedCurve })
export const rsaKey = (modulusLength: number): KeyPair => generateKeyPairSync("rsa", { modulusLength })
export const ed25519Key = (): KeyPair => generateKeyPairSync("ed25519")

/** One key for certificates whose key does not matter. */
export const authorityKey = ecKey("P-256")

export const spki = ({ publicKey }: KeyPair): Uint8Array => publicKey.export({ type: "spki", format: "der" })

const hour = 3_600_000

/** Returns a certificate (PEM) that is signed by `authorityKey`; an authority's by default. */
export function certificatePem(given: Partial<CertificateTemplate> & { readonly name?: string } = {}): string {
  const { name = "ca", notBefore = Date.UTC(2026, 0, 1), ...template } = given
  const issuer = { rawSubject: derSubject({ commonName: "ca", organizations: [] }), subjectKeyId: undefined }
  return signCertificate(
    {
      subject: { commonName: name, organizations: [] },
      names: noNames,
      publicKey: spki(authorityKey),
      usages: [],
      notBefore,
      notAfter: notBefore + hour,
      serialNumber: Uint8Array.of(1),
      isAuthority: true,
      ...template,
    },
    { ...issuer, ...signatureBy(authorityKey.privateKey) },
  )
}

/** Returns a PKCS#10 request (DER) without names, as kubelets send it, signed by the second key. */
export function emptyRequest(key: KeyPair, signer: KeyPair = key): Uint8Array {
  const { algorithm, sign: signature } = signatureBy(signer.privateKey)
  const info = derSequence(
    derValue(derTags.integer, Uint8Array.of(0)),
    derSubject({ commonName: "", organizations: [] }),
    spki(key),
    derValue(0xa0),
  )
  return derSequence(info, algorithm, derValue(derTags.bits, Uint8Array.of(0), signature(info)))
}

/** The same with a key whose signatures are none: of a curve that no authority signs with. */
export function unsignedRequest(publicKey: Uint8Array): Uint8Array {
  const info = derSequence(
    derValue(derTags.integer, Uint8Array.of(0)),
    derSubject({ commonName: "", organizations: [] }),
    publicKey,
    derValue(0xa0),
  )
  const algorithm = derSequence(derIdentifier("1.2.840.10045.4.3.2"))
  const signature = sign("sha256", info, authorityKey.privateKey)
  return derSequence(info, algorithm, derValue(derTags.bits, Uint8Array.of(0), signature))
}

/** The bytes of a certificate (PEM), with headers before them, or as a block of another type. */
export function rewrapped(
  pem: string,
  { type = "CERTIFICATE", headers = "" }: { readonly type?: string; readonly headers?: string },
): string {
  const base64 = Buffer.from(firstPemBlock(pem)!.bytes).toString("base64")
  return `-----BEGIN ${type}-----\n${headers === "" ? "" : `${headers}\n\n`}${base64}\n-----END ${type}-----\n`
}
