import { spawnSync } from "node:child_process"
import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto"
import { join } from "node:path"
import { derSequence, derSubject, noNames, signCertificate } from "@pilothouse/api/x509"
import { seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { signatureBy } from "./certificate-authority.ts"
import { ensureCertificates } from "./ensure-certificates.ts"
import { ensureFrontProxy, ensureServingCertificate } from "./ensure-serving-certificate.ts"

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

test("the certificate of the front proxy is for clients alone, and lasts for ten years", async () => {
  const options = setUp()
  const { client, ca, allowedNames } = await ensureFrontProxy(options)
  const parsed = new X509Certificate(client()!.certificate)
  expect([ca, allowedNames]).toEqual([client()!.certificate, ["front-proxy-client"]])
  expect([parsed.ca, parsed.keyUsage, parsed.subjectAltName, parsed.verify(parsed.publicKey)]).toEqual([
    false,
    ["1.3.6.1.5.5.7.3.2"],
    undefined,
    true,
  ])
  expect(Date.parse(parsed.validTo) - options.clock.now()).toBe(3650 * day)
  expect((await ensureFrontProxy(options)).ca).toBe(ca)
})

test("one of an earlier version, with the common name first, is taken for its own", async () => {
  const options = setUp()
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  const [name, organization] = [
    { commonName: "health", organizations: [] },
    { commonName: "", organizations: ["pilothouse"] },
  ].map((subject) => derSubject(subject).subarray(2))
  const written = { commonName: "health", organizations: ["pilothouse"] }
  const spki = publicKey.export({ type: "spki", format: "der" })
  const [now, rawSubject] = [options.clock.now(), derSequence(name!, organization!)]
  const template = { subject: written, names: noNames, publicKey: spki, usages: ["server auth"], notBefore: now - day, notAfter: now + day }
  const pem = signCertificate(
    { ...template, serialNumber: Uint8Array.of(1) },
    { rawSubject, subjectKeyId: undefined, ...signatureBy(privateKey) },
  )
  // The subject is replaced in its place: both orders have the same length.
  const bytes = Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ""), "base64")
  bytes.set(rawSubject, bytes.lastIndexOf(derSubject(written)))
  const old = `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64")}\n-----END CERTIFICATE-----\n`
  expect(new X509Certificate(old).subject).toBe("CN=health\nO=pilothouse")
  options.files.write("/certificates/health.crt", old)
  options.files.write("/certificates/health.key", privateKey.export({ type: "sec1", format: "pem" }).toString())
  const { certificate } = await ensureServingCertificate(options)
  expect(new X509Certificate(certificate).checkIP("127.0.0.1")).toBe("127.0.0.1")
})

test("a key of another kind is refused, and left alone", async () => {
  const options = setUp()
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "secp384r1" })
  options.files.write("/certificates/health.key", privateKey.export({ type: "sec1", format: "pem" }).toString())
  await expect(ensureServingCertificate(options)).rejects.toThrow(
    "expected an ECDSA key of the curve P-256 in /certificates/health.key, found something else (it is of secp384r1)",
  )
})

/** Says how many modules of the certificate library are loaded when a front proxy has its certificate. */
const program = `
import { registerHooks } from "node:module"
let loaded = 0
registerHooks({
  load(url, context, next) {
    if (/peculiar|reflect-metadata|issue-certificates/.test(url)) loaded++
    return next(url, context)
  },
})
const { ensureFrontProxy } = await import("@pilothouse/apiserver")
const { seededRandom, VirtualClock, virtualFiles } = await import("@pilothouse/seams")
const clock = new VirtualClock()
const { ca } = await ensureFrontProxy({ clock, files: virtualFiles(clock), directory: "/certificates", random: seededRandom(1) })
console.log(ca.split("\\n")[0], loaded)
`

test("the first start of a server with certificates of its own loads no certificate library", () => {
  const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", "--input-type=module"]
  // The runner of this test marks its child processes as part of it.
  const env = { ...process.env, NODE_OPTIONS: undefined }
  const cwd = join(import.meta.dirname, "..", "..", "..", "..")
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "-"], { cwd, env, encoding: "utf8", input: program })
  expect({ stdout, stderr }).toEqual({ stdout: "-----BEGIN CERTIFICATE----- 0\n", stderr: "" })
})
