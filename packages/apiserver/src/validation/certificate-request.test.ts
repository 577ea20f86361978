import { expect, test } from "vitest"
import { certificateRequestFault } from "./certificate-request.ts"
import { certificateRequests } from "./testing/certificate-requests.ts"

const { ecdsa, rsa, ed25519 } = certificateRequests
const label = "CERTIFICATE REQUEST"

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----/g, ""), "base64")
}

function pemOf(der: Buffer, type = label): string {
  return `-----BEGIN ${type}-----\n${der.toString("base64")}\n-----END ${type}-----\n`
}

/** With one bit turned, that many bytes from the end. */
function turned(pem: string, fromEnd: number): string {
  const der = derOf(pem)
  der[der.length - fromEnd]! ^= 1
  return pemOf(der)
}

test.each([
  ["ECDSA", ecdsa],
  ["RSA", rsa],
  ["Ed25519", ed25519],
  ["text before it", `hello\n${ecdsa}`],
  ["another after it", ecdsa + rsa],
  ["a beginning without an end before it", `-----BEGIN A-----\n${ecdsa}`],
  ["an end without a beginning before it", `-----END ${label}-----\n${ecdsa}`],
  ["headers", ecdsa.replace(`${label}-----\n`, `${label}-----\nA: b\n\n`)],
])("a request with %s that is signed with its own key is good", (_what, pem) => {
  expect(certificateRequestFault(pem)).toBeUndefined()
})

test.each([
  ["no PEM", "hi", "PEM block type must be CERTIFICATE REQUEST"],
  ["nothing", "", "PEM block type must be CERTIFICATE REQUEST"],
  ["a certificate", pemOf(derOf(ecdsa), "CERTIFICATE"), "PEM block type must be CERTIFICATE REQUEST"],
  ["a signature by another key, ECDSA", turned(ecdsa, 3), "x509: ECDSA verification failure"],
  ["a signature by another key, RSA", turned(rsa, 3), "crypto/rsa: verification error"],
  ["a signature by another key, Ed25519", turned(ed25519, 3), "x509: Ed25519 verification failure"],
  ["three bytes", `-----BEGIN ${label}-----\nMIIB\n-----END ${label}-----\n`, "asn1: syntax error: truncated tag or length"],
  ["a cut end", pemOf(derOf(ecdsa).subarray(0, 60)), "asn1: syntax error: data truncated"],
  ["something behind", pemOf(Buffer.concat([derOf(ecdsa), Buffer.of(0, 0)])), "asn1: syntax error: trailing data"],
  ["a number", pemOf(Buffer.of(2, 1, 5)), "asn1: structure error: tags don't match"],
])("a request that is %s is refused (seen)", (_what, pem, fault) => {
  expect(certificateRequestFault(pem)).toBe(fault)
})

test.each([
  ["many beginnings and no end", "-----BEGIN A-----\n".repeat(120_000)],
  ["many ends and no beginning", "-----END A-----\n".repeat(120_000)],
  ["many ends of others", "-----BEGIN A-----\n-----END B-----\n".repeat(60_000)],
])("%s are gone through once, and refused", (_what, pem) => {
  expect(certificateRequestFault(pem)).toBe("PEM block type must be CERTIFICATE REQUEST")
})

test("whatever bit is turned, it is refused", () => {
  const der = derOf(ecdsa)
  for (let bit = 0; bit < der.length * 8; bit++) {
    const changed = Buffer.from(der)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(certificateRequestFault(pemOf(changed)), `bit ${bit}`).toBeTypeOf("string")
  }
})
