import { X509Certificate } from "node:crypto"
import { readText, seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { CertificateOptions } from "./certificates.ts"
import { ensureCertificates } from "./ensure-certificates.ts"
import { renewCertificates, saveRenewed } from "./renew-certificates.ts"
import { renewalTime } from "./renewal-time.ts"

const day = 24 * 3_600_000

function setUp(): CertificateOptions & { readonly clock: VirtualClock } {
  const clock = new VirtualClock()
  return { clock, files: virtualFiles(clock), directory: "/pki", random: seededRandom(1), serviceIp: "10.96.0.1" }
}

test("a certificate is due at two thirds of its life", async () => {
  const options = setUp()
  const { server } = await ensureCertificates(options)
  expect(Math.round((renewalTime(server.certificate) - options.clock.now()) / day)).toBe(243)
})

test("renewing keeps keys, authority and what is not due, and touches no file", async () => {
  const options = setUp()
  const first = await ensureCertificates(options)
  const before = options.files.list("/pki").map((name) => readText(options.files, `/pki/${name}`))
  expect(await renewCertificates(first, options)).toEqual(first)
  await options.clock.advance(244 * day)
  const second = await renewCertificates(first, options)
  expect([second.ca, second.serviceAccount, second.server.key, second.admin.key]).toEqual([
    first.ca,
    first.serviceAccount,
    first.server.key,
    first.admin.key,
  ])
  for (const part of ["server", "admin"] as const) {
    const [old, renewed] = [first, second].map((one) => new X509Certificate(one[part].certificate))
    expect([renewed?.subject, renewed?.subjectAltName]).toEqual([old?.subject, old?.subjectAltName])
    expect(renewed?.checkIssued(new X509Certificate(first.ca.certificate))).toBe(true)
    expect(renewalTime(second[part].certificate)).toBeGreaterThan(options.clock.now() + 240 * day)
  }
  expect(options.files.list("/pki").map((name) => readText(options.files, `/pki/${name}`))).toEqual(before)
})

test("what is saved is what the next start uses, also where the directory was removed meanwhile", async () => {
  const options = setUp()
  const first = await ensureCertificates(options)
  await options.clock.advance(244 * day)
  const second = await renewCertificates(first, options)
  saveRenewed(second, options)
  expect(await ensureCertificates(options)).toEqual(second)
  options.files.remove("/pki")
  saveRenewed(second, options)
  expect(await ensureCertificates(options)).toEqual(second)
  expect(options.files.facts("/pki/ca.key")?.mode).toBe(0o600)
})

test.each(["ca.crt", "apiserver.key"])("a %s that was put there for the next start is not written over", async (name) => {
  const options = setUp()
  const [first, other] = [await ensureCertificates(options), await ensureCertificates({ ...options, directory: "/other" })]
  await options.clock.advance(244 * day)
  options.files.write(`/pki/${name}`, name === "ca.crt" ? other.ca.certificate : other.server.key)
  const certificate = readText(options.files, "/pki/apiserver.crt")
  const second = await renewCertificates(first, options)
  expect(() => saveRenewed(second, options)).toThrow(`that is in use in /pki/${name}, found another one`)
  expect(readText(options.files, "/pki/apiserver.crt")).toBe(certificate)
})
