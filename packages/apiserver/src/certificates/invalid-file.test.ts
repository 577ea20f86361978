import { generateKeyPairSync } from "node:crypto"
import { readText, seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { CertificateOptions, Certificates } from "./certificates.ts"
import { ensureCertificates } from "./ensure-certificates.ts"

const years = 365 * 24 * 3_600_000

function setUp(directory = "/data/pki", clock = new VirtualClock()): CertificateOptions {
  return { clock, files: virtualFiles(clock), directory, random: seededRandom(1), serviceIp: "10.96.0.1" }
}

/** Everything in the directory, by name. */
function content({ files, directory }: CertificateOptions): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(files.list(directory).map((name) => [name, readText(files, `${directory}/${name}`)]))
}

const foreign: Certificates = await ensureCertificates(setUp("/other"))
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }).toString()

test.each<[what: string, files: Readonly<Record<string, string | undefined>>, message: string]>([
  ["a foreign ca.key", { "ca.key": foreign.ca.key }, "expected the key of ca.crt in /data/pki/ca.key, found another key"],
  ["a foreign apiserver.key", { "apiserver.key": foreign.server.key }, "expected the key of apiserver.crt in /data/pki/apiserver.key"],
  ["a foreign admin.key", { "admin.key": foreign.admin.key }, "expected the key of admin.crt in /data/pki/admin.key, found another key"],
  ["a foreign sa.key", { "sa.key": foreign.serviceAccount.key }, "expected the key of sa.pub in /data/pki/sa.key, found another key"],
  ["a foreign ca.crt", { "ca.crt": foreign.ca.certificate }, "expected the key of ca.crt in /data/pki/ca.key, found another key"],
  [
    "a foreign authority",
    { "ca.crt": foreign.ca.certificate, "ca.key": foreign.ca.key },
    "expected a certificate that ca.crt signed in /data/pki/apiserver.crt, found that of CN=kube-apiserver, signed by CN=pilothouse-ca",
  ],
  [
    "a foreign server",
    { "apiserver.crt": foreign.server.certificate, "apiserver.key": foreign.server.key },
    "expected a certificate that ca.crt signed in /data/pki/apiserver.crt",
  ],
  ["an authority without its key", { "ca.key": undefined }, "expected the key of ca.crt in /data/pki/ca.key, found none"],
  [
    "no authority",
    { "ca.key": undefined, "ca.crt": undefined },
    "expected the authority that signed apiserver.crt, and its key in /data/pki/ca.crt, found neither",
  ],
  ["an sa.pub alone", { "sa.key": undefined }, "expected the key of sa.pub in /data/pki/sa.key, found none"],
  [
    "a certificate that is no authority's",
    { "ca.crt": foreign.server.certificate, "ca.key": foreign.server.key },
    "expected the certificate of an authority in /data/pki/ca.crt, found that of CN=kube-apiserver",
  ],
  [
    "a key of another kind, without a certificate",
    { "apiserver.crt": undefined, "apiserver.key": rsa },
    "expected an ECDSA key of the curve P-256 in /data/pki/apiserver.key",
  ],
  ["an sa.pub that is something else", { "sa.pub": "words" }, "expected a PEM public key in /data/pki/sa.pub, found something else"],
])("%s is refused, and nothing is changed", async (_what, changes, message) => {
  const options = setUp()
  await ensureCertificates({ ...options, random: seededRandom(2) })
  for (const [name, text] of Object.entries(changes)) {
    if (text === undefined) options.files.remove(`/data/pki/${name}`)
    else options.files.write(`/data/pki/${name}`, text)
  }
  const before = content(options)
  const error = await ensureCertificates(options).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: "FILE", message: expect.stringContaining(message) })
  expect(error).toMatchObject({
    message: expect.stringContaining("put the right file back, or remove /data/pki to have everything recreated"),
  })
  expect(content(options)).toEqual(before)
})

test.each([
  ["whose time is over", 11 * years, "found one that ended on"],
  ["whose time has not begun", -years, "(is the clock right?)"],
])("an authority %s is refused", async (_what, shift, found) => {
  const options = setUp()
  await ensureCertificates(options)
  const before = content(options)
  const clock = new VirtualClock({ start: options.clock.now() + shift })
  await expect(ensureCertificates({ ...options, clock })).rejects.toMatchObject({ code: "FILE", message: expect.stringContaining(found) })
  expect(content(options)).toEqual(before)
})

test("an authority of one's own signs what is missing", async () => {
  const options = setUp()
  options.files.write("/data/pki/ca.crt", foreign.ca.certificate)
  options.files.write("/data/pki/ca.key", foreign.ca.key)
  expect((await ensureCertificates(options)).ca).toEqual(foreign.ca)
})
