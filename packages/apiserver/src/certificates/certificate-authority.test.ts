import { generateKeyPairSync, X509Certificate } from "node:crypto"
import { derSubject, type Issuer, noNames, parseCertificateRequest, signCertificate } from "@pilothouse/api/x509"
import { expect, test } from "vitest"
import { certificateRequests } from "../validation/testing/certificate-requests.ts"
import { certificateAuthority, signatureBy } from "./certificate-authority.ts"

const now = Date.UTC(2026, 0, 2, 3, 4, 5)
const hour = 3_600_000
const keys = {
  "ECDSA P-256": generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "ECDSA P-384": generateKeyPairSync("ec", { namedCurve: "P-384" }),
  RSA: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  Ed25519: generateKeyPairSync("ed25519"),
}

function selfSigned({ privateKey, publicKey }: (typeof keys)["RSA"]): { readonly certificate: string; readonly key: string } {
  const subject = { commonName: "the-ca", organizations: [] }
  const issuer: Issuer = { rawSubject: derSubject(subject), subjectKeyId: Uint8Array.of(1, 2, 3, 4), ...signatureBy(privateKey) }
  const template = {
    subject,
    names: noNames,
    publicKey: publicKey.export({ type: "spki", format: "der" }),
    usages: ["digital signature", "key encipherment", "cert sign"],
    notBefore: now - hour,
    notAfter: Date.UTC(2051, 0, 1),
    serialNumber: Uint8Array.of(42),
    isAuthority: true,
    subjectKeyId: issuer.subjectKeyId,
  }
  return { certificate: signCertificate(template, issuer), key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() }
}

test.each(Object.entries(keys))("OpenSSL verifies what an authority with a key of %s signs", (_kind, pair) => {
  const own = selfSigned(pair as (typeof keys)["RSA"])
  const authority = new X509Certificate(own.certificate)
  expect([authority.ca, authority.verify(authority.publicKey), authority.checkPrivateKey(pair.privateKey)]).toEqual([true, true, true])
  expect(authority.validTo).toBe("Jan  1 00:00:00 2051 GMT")
  const { publicKey } = parseCertificateRequest(certificateRequests.ecdsa)
  const made = new X509Certificate(
    certificateAuthority(own).sign({
      subject: { commonName: "system:node:a", organizations: ["system:nodes", "a_b"], others: { "2.5.4.6": ["DE"] } },
      names: { dns: ["a.example"], ip: ["10.0.0.1", "fd00::1"], email: ["a@b.c"], uri: ["spiffe://a/b"] },
      publicKey,
      usages: ["digital signature", "key encipherment", "server auth", "client auth"],
      notBefore: now,
      notAfter: now + hour,
      serialNumber: Uint8Array.from([0, 0xff, 1]),
    }),
  )
  expect([made.ca, made.verify(authority.publicKey), made.checkIssued(authority)]).toEqual([false, true, true])
  expect(made.subject).toBe("C=DE\nO=a_b + O=system:nodes\nCN=system:node:a")
  expect(made.subjectAltName).toBe("DNS:a.example, email:a@b.c, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1, URI:spiffe://a/b")
  expect([made.validFrom, made.validTo]).toEqual(["Jan  2 03:04:05 2026 GMT", "Jan  2 04:04:05 2026 GMT"])
  expect(made.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"])
  expect(made.serialNumber).toBe("FF01")
})

test("what is no certificate is refused", () => {
  const key = keys.Ed25519.privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  expect(() => certificateAuthority({ certificate: "x", key })).toThrow("expected the certificate of an authority (PEM), found no PEM")
  expect(() => certificateAuthority({ certificate: certificateRequests.ecdsa, key })).toThrow("found CERTIFICATE REQUEST")
})
