import { createPrivateKey, X509Certificate } from "node:crypto"
import { seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { ensureCertificates } from "./ensure-certificates.ts"
import { ensureServingCertificate } from "./ensure-serving-certificate.ts"

const day = 24 * 3_600_000

function setUp() {
  const clock = new VirtualClock()
  return { clock, files: virtualFiles(clock), directory: "/certificates", random: seededRandom(1), name: "health" }
}

test("one certificate and its key are made, and nothing that could sign another", async () => {
  const options = setUp()
  const { certificate, key } = await ensureServingCertificate(options)
  const modes = options.files.list("/certificates").map((name) => [name, options.files.facts(`/certificates/${name}`)?.mode])
  expect(Object.fromEntries(modes)).toEqual({ "health.crt": 0o644, "health.key": 0o600 })
  const parsed = new X509Certificate(certificate)
  expect([parsed.ca, parsed.verify(parsed.publicKey), parsed.checkPrivateKey(createPrivateKey(key))]).toEqual([false, true, true])
  expect(parsed.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1")
})

test("a later start uses it again; one past two thirds of its life, or that lacks an address, is recreated for the same key", async () => {
  const options = setUp()
  const first = await ensureServingCertificate(options)
  expect(await ensureServingCertificate(options)).toEqual(first)
  const late = { ...options, clock: new VirtualClock({ start: options.clock.now() + 245 * day }) }
  const second = await ensureServingCertificate(late)
  expect([second.key, second.certificate === first.certificate]).toEqual([first.key, false])
  const third = await ensureServingCertificate({ ...late, addresses: ["192.0.2.7"] })
  expect([third.key, new X509Certificate(third.certificate).checkIP("192.0.2.7")]).toEqual([first.key, "192.0.2.7"])
})

test("one that an administrator has put there is used as it is; without its key it is refused, and left alone", async () => {
  const options = setUp()
  const { server } = await ensureCertificates({ ...options, directory: "/elsewhere", serviceIp: "10.96.0.1" })
  options.files.write("/certificates/health.crt", server.certificate)
  await expect(ensureServingCertificate(options)).rejects.toThrow("expected the key of health.crt in /certificates/health.key, found none")
  options.files.write("/certificates/health.key", server.key)
  expect(await ensureServingCertificate({ ...options, addresses: ["192.0.2.7"] })).toEqual(server)
})

test("a key of another certificate is refused where an administrator has put that there", async () => {
  const options = setUp()
  const { server } = await ensureCertificates({ ...options, directory: "/elsewhere", serviceIp: "10.96.0.1" })
  const other = await ensureServingCertificate({ ...options, directory: "/other" })
  options.files.write("/certificates/health.crt", server.certificate)
  options.files.write("/certificates/health.key", other.key)
  await expect(ensureServingCertificate(options)).rejects.toThrow("found another key")
})

test("a crash between the key and its certificate leaves no pair that is refused for ever", async () => {
  const options = setUp()
  const old = await ensureServingCertificate(options)
  const other = await ensureServingCertificate({ ...options, directory: "/other" })
  options.files.write("/certificates/health.key", other.key)
  const made = await ensureServingCertificate(options)
  expect([made.key, made.certificate === old.certificate]).toEqual([other.key, false])
  expect(await ensureServingCertificate(options)).toEqual(made)
})
