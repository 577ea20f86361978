import { createPrivateKey, type KeyObject, sign } from "node:crypto"
import {
  type CertificateAuthority,
  derIdentifier,
  derSequence,
  derTags,
  derValue,
  firstPemBlock,
  type Issuer,
  parseCertificate,
  signCertificate,
} from "@pilothouse/api/x509"
import { PilothouseError } from "@pilothouse/seams"
import type { KeyAndCertificate } from "./certificates.ts"

/** Returns what signs certificates with an authority's own certificate and key (PEM). Signing is synchronous: virtual time does not wait for threads. */
export function certificateAuthority({ certificate, key }: KeyAndCertificate): CertificateAuthority {
  const block = firstPemBlock(certificate)
  if (block?.type !== "CERTIFICATE") {
    throw new PilothouseError("INVALID", `expected the certificate of an authority (PEM), found ${block?.type ?? "no PEM"}`)
  }
  const { rawSubject, subjectKeyId, notAfter } = parseCertificate(block.bytes)
  const issuer: Issuer = { rawSubject, subjectKeyId, ...signatureBy(createPrivateKey(key)) }
  return { notAfter, sign: (template) => signCertificate(template, issuer) }
}

const curves: Readonly<Record<string, { readonly identifier: string; readonly hash: string }>> = {
  prime256v1: { identifier: "1.2.840.10045.4.3.2", hash: "sha256" },
  secp384r1: { identifier: "1.2.840.10045.4.3.3", hash: "sha384" },
  secp521r1: { identifier: "1.2.840.10045.4.3.4", hash: "sha512" },
}

/** Returns how a key signs, as Go chooses it: RSA with SHA-256, ECDSA with the hash of its curve, Ed25519. */
export function signatureBy(key: KeyObject): Pick<Issuer, "algorithm" | "sign"> {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === "rsa") {
    const algorithm = derSequence(derIdentifier("1.2.840.113549.1.1.11"), derValue(nullTag))
    return { algorithm, sign: (bytes) => sign("sha256", bytes, key) }
  }
  if (type === "ed25519") {
    return { algorithm: derSequence(derIdentifier("1.3.101.112")), sign: (bytes) => sign(undefined, bytes, key) }
  }
  const curve = type === "ec" ? curves[details?.namedCurve ?? ""] : undefined
  if (curve === undefined)
    throw new PilothouseError("INVALID", `expected an RSA, ECDSA or Ed25519 key of an authority, found one of type "${type}"`)
  return { algorithm: derSequence(derIdentifier(curve.identifier)), sign: (bytes) => sign(curve.hash, bytes, key) }
}

const nullTag = derTags.bytes + 1
