import { createPrivateKey, X509Certificate } from "node:crypto"
import { type Files, readText, recordingLog, seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { CertificateOptions } from "./certificates.ts"
import { ensureCertificates } from "./ensure-certificates.ts"

const day = 24 * 3_600_000

function setUp(): CertificateOptions & { readonly clock: VirtualClock } {
  const clock = new VirtualClock()
  return { clock, files: virtualFiles(clock), directory: "/data/pki", random: seededRandom(1), serviceIp: "10.96.0.1" }
}

function later(options: CertificateOptions, days: number): CertificateOptions {
  return { ...options, clock: new VirtualClock({ start: options.clock.now() + days * day }) }
}

describe("the first start", () => {
  test("makes certificates that fit together", async () => {
    const { ca, server, admin } = await ensureCertificates(setUp())
    const authority = new X509Certificate(ca.certificate)
    const serving = new X509Certificate(server.certificate)
    const client = new X509Certificate(admin.certificate)
    expect(authority.ca).toBe(true)
    expect(serving.verify(authority.publicKey) && client.verify(authority.publicKey)).toBe(true)
    expect(client.subject).toBe("CN=kubernetes-admin\nO=system:masters")
    expect(serving.subjectAltName).toBe(
      "DNS:localhost, DNS:kubernetes, DNS:kubernetes.default, DNS:kubernetes.default.svc, DNS:kubernetes.default.svc.cluster.local, " +
        "IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:10.96.0.1",
    )
  })

  test("keeps keys private", async () => {
    const options = setUp()
    await ensureCertificates(options)
    const modes = options.files.list("/data/pki").map((name) => [name, options.files.facts(`/data/pki/${name}`)?.mode])
    expect(Object.fromEntries(modes)).toEqual({
      "admin.crt": 0o644,
      "admin.key": 0o600,
      "apiserver.crt": 0o644,
      "apiserver.key": 0o600,
      "ca.crt": 0o644,
      "ca.key": 0o600,
      "sa.key": 0o600,
      "sa.pub": 0o644,
    })
    expect(options.files.facts("/data/pki")?.mode).toBe(0o700)
  })

  test("holds virtual time while it works", async () => {
    const options = setUp()
    const before = options.clock.now()
    await options.clock.run(ensureCertificates(options))
    expect(options.clock.now()).toBe(before)
  })
})

describe("a later start", () => {
  test("uses them again", async () => {
    const options = setUp()
    const first = await ensureCertificates(options)
    expect(await ensureCertificates(later(options, 240))).toEqual(first)
  })

  test("after two thirds of their life makes new ones of the same authority", async () => {
    const options = setUp()
    const first = await ensureCertificates(options)
    const second = await ensureCertificates(later(options, 245))
    expect(second.ca).toEqual(first.ca)
    expect(second.serviceAccount).toEqual(first.serviceAccount)
    expect(second.server).not.toEqual(first.server)
    expect(second.admin).not.toEqual(first.admin)
  })

  test("makes a new server certificate when the service address changed", async () => {
    const options = setUp()
    const first = await ensureCertificates(options)
    const second = await ensureCertificates({ ...options, serviceIp: "10.0.0.1" })
    expect(second.admin).toEqual(first.admin)
    expect(second.server).not.toEqual(first.server)
  })

  test("renews a certificate for the key that it has", async () => {
    const options = setUp()
    const first = await ensureCertificates(options)
    const second = await ensureCertificates(later(options, 245))
    expect([second.server.key, second.admin.key]).toEqual([first.server.key, first.admin.key])
    expect(new X509Certificate(second.server.certificate).checkPrivateKey(createPrivateKey(first.server.key))).toBe(true)
    expect(await ensureCertificates(later(options, 480))).toEqual(second)
  })

  test("renews one whose time is over, and one whose time has not begun", async () => {
    const options = setUp()
    const first = await ensureCertificates(options)
    const second = await ensureCertificates(later(options, 800))
    expect(new X509Certificate(second.server.certificate).validToDate.getTime()).toBeGreaterThan(later(options, 1100).clock.now())
    const third = await ensureCertificates(options)
    expect(Date.parse(new X509Certificate(third.server.certificate).validFrom)).toBeLessThanOrEqual(options.clock.now())
    expect(third.ca).toEqual(first.ca)
  })

  test.each(["ca.crt", "apiserver.crt", "admin.key", "sa.pub"])(
    "with a missing %s mends it, and keeps every key that is there",
    async (name) => {
      const options = setUp()
      const first = await ensureCertificates(options)
      options.files.remove(`/data/pki/${name}`)
      const mended = await ensureCertificates(options)
      expect(readText(options.files, `/data/pki/${name}`)).toBeDefined()
      expect([mended.ca.key, mended.server.key, mended.serviceAccount]).toEqual([first.ca.key, first.server.key, first.serviceAccount])
      expect(new X509Certificate(mended.server.certificate).verify(new X509Certificate(mended.ca.certificate).publicKey)).toBe(true)
      expect(await ensureCertificates(options)).toEqual(mended)
    },
  )

  test.each([
    ["ca.crt", "a PEM certificate"],
    ["apiserver.key", "a PEM private key"],
    ["sa.key", "a PEM private key"],
  ])("refuses a %s that is something else", async (name, expected) => {
    const options = setUp()
    await ensureCertificates(options)
    options.files.write(`/data/pki/${name}`, "not a certificate")
    await expect(ensureCertificates(options)).rejects.toMatchObject({
      code: "FILE",
      message: expect.stringMatching(
        new RegExp(`^expected ${expected} in /data/pki/${name}, found something else .*; put the right file back`),
      ),
    })
  })

  test("says so when a file cannot be read", async () => {
    const options = setUp()
    const files: Files = { ...options.files, makeDirectory: options.files.makeDirectory }
    files.makeDirectory("/data/pki/ca.crt")
    await expect(ensureCertificates({ ...options, files })).rejects.toMatchObject({ code: "FILE" })
  })
})

describe("warns of what was lost and is recreated", () => {
  test.each([
    ["nothing", [], []],
    ["a certificate of the server", ["apiserver.crt", "apiserver.key", "admin.crt"], []],
    [
      "the authority's certificate",
      ["ca.crt"],
      ["ca.crt was missing and was recreated, for the ca.key that is there: clients that have the old one still"],
    ],
    [
      "the authority, and all that it signed",
      ["ca.crt", "ca.key", "apiserver.crt", "apiserver.key", "admin.crt", "admin.key"],
      ["ca.crt and ca.key were missing and were recreated: clients that have the old ones do not trust this server"],
    ],
    [
      "the key of service accounts",
      ["sa.key", "sa.pub"],
      ["sa.key and sa.pub were missing and were recreated: tokens of service accounts that were"],
    ],
    [
      "everything, and no objects are left, so that it is a first start",
      ["ca.crt", "ca.key", "apiserver.crt", "apiserver.key", "admin.crt", "admin.key", "sa.key", "sa.pub"],
      [],
    ],
  ])("%s", async (_what, names, messages) => {
    const { log, lines } = recordingLog()
    const options = { ...setUp(), log }
    await ensureCertificates(options)
    expect(lines).toEqual([])
    for (const name of names) options.files.remove(`/data/pki/${name}`)
    await ensureCertificates({ ...options, random: seededRandom(2) })
    expect(lines).toEqual(
      messages.map((message) => ({ level: "warn", message: expect.stringContaining(message), fields: { directory: "/data/pki" } })),
    )
  })

  test("everything, where objects are left", async () => {
    const { log, lines } = recordingLog()
    await ensureCertificates({ ...setUp(), log, hasObjects: true })
    expect(lines.map(({ level, message }) => `${level} ${message.split(":")[0]}`)).toEqual([
      "warn ca.crt and ca.key were missing and were recreated",
      "warn sa.key and sa.pub were missing and were recreated",
    ])
  })

  test("who has the old certificate of the authority trusts what the new one signs", async () => {
    const options = setUp()
    const old = new X509Certificate((await ensureCertificates(options)).ca.certificate)
    for (const name of ["ca.crt", "apiserver.crt"]) options.files.remove(`/data/pki/${name}`)
    const { server } = await ensureCertificates(options)
    const made = new X509Certificate(server.certificate)
    expect([made.checkIssued(old), made.verify(old.publicKey)]).toEqual([true, true])
  })
})
