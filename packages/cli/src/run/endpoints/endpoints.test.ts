import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { get } from "node:https"
import { text } from "node:stream/consumers"
import { type ConnectionOptions, connect } from "node:tls"
import { ensureCertificates } from "@pilothouse/apiserver"
import { type Clock, type Files, PilothouseError, readText, recordingLog, VirtualClock, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { freePort } from "../../commands/testing/port.ts"
import { Signals } from "../../commands/testing/signals.ts"
import { checkOwnFiles } from "../check-settings.ts"
import { settingsOf } from "../settings.ts"
import type { Access } from "./delegated-access.ts"
import { serveRunEndpoints } from "./endpoints.ts"

/** Answers with the user that it takes the client for. */
const access: Access = (certificate) => async () => {
  const name = typeof certificate === "object" ? certificate.commonName : (certificate ?? "no certificate")
  return { status: 200, headers: {}, body: valueBody(name) }
}
const random = systemRandom()

/** Two pairs that do not belong together, as another authority would have made them. */
async function pairs() {
  const files = virtualFiles(systemClock)
  const make = (directory: string) => ensureCertificates({ files, directory, clock: systemClock, random, serviceIp: "10.96.0.1" })
  return Promise.all([make("/one"), make("/two")])
}

async function served(words: Record<string, unknown>, files: Files = virtualFiles(systemClock), clock: Clock = systemClock) {
  const { log, lines } = recordingLog()
  const { own } = settingsOf({ "secure-port": await freePort(), ...words }, {})
  const port = await serveRunEndpoints(own, access, { clock, random, files, log })
  return {
    address: port?.address ?? "",
    told: () => port?.fingerprint(),
    said: () => lines.filter(({ level }) => level !== "debug").map(({ level, message }) => `${level}: ${message}`),
    [Symbol.asyncDispose]: async () => port?.[Symbol.asyncDispose](),
  }
}

/** What a client that connects is shown. */
async function shown(address: string, options: ConnectionOptions = {}): Promise<string> {
  const { hostname, port } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port), servername: "localhost", rejectUnauthorized: false, ...options })
  try {
    await once(socket, "secureConnect")
    return new X509Certificate(socket.getPeerCertificate().raw).fingerprint256
  } finally {
    socket.destroy()
  }
}

const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256

test("without --cert-dir, where nothing can be written, it did not start: the certificate is in memory then", async () => {
  const denied = () => {
    throw new PilothouseError("FILE", "could not make the directory .pilothouse/run (EACCES)")
  }
  const files = { ...virtualFiles(systemClock), write: denied, makeDirectory: denied }
  await using port = await served({}, files)
  expect(await shown(port.address)).toMatch(/^[\dA-F:]+$/)
  expect(port.said()).toEqual(["info: the certificate of health and metrics is kept in memory: --cert-dir says where it may be kept"])
  await expect(served({ "cert-dir": "/asked" }, files)).rejects.toThrow("EACCES")
})

test("a whole pki, with an administrator's key, was made for one port: it is one certificate, which a client can be given", async () => {
  const files = virtualFiles(systemClock)
  await using port = await served({ "cert-dir": "/certificates" }, files)
  expect(files.list("/certificates")).toEqual(["kube-controller-manager.crt", "kube-controller-manager.key"])
  const certificate = readText(files, "/certificates/kube-controller-manager.crt")!
  expect(await shown(port.address, { ca: certificate, rejectUnauthorized: true })).toBe(fingerprint(certificate))
})

test.each(["/certificates", ""])(
  "its own certificate ended after a year: it is renewed while it runs, and the Lease has it (--cert-dir=%s)",
  async (directory) => {
    const clock = new VirtualClock()
    const denied = () => {
      throw new PilothouseError("FILE", "could not make the directory .pilothouse/run (EACCES)")
    }
    const files =
      directory === "" ? { ...virtualFiles(clock), read: () => undefined, write: denied, makeDirectory: denied } : virtualFiles(clock)
    await using port = await served({ "cert-dir": directory }, files, clock)
    const first = await shown(port.address)
    expect(port.told()).toBe(first.replaceAll(":", "").toLowerCase())
    await clock.advance(250 * 24 * 3_600_000)
    const second = await shown(port.address)
    expect(second).not.toBe(first)
    expect(port.told()).toBe(second.replaceAll(":", "").toLowerCase())
  },
)

test("--tls-min-version and --tls-cipher-suites were taken without effect", async () => {
  await using strict = await served({ "tls-min-version": "VersionTLS13" })
  await expect(shown(strict.address, { maxVersion: "TLSv1.2" })).rejects.toThrow(/protocol version/)
  expect(await shown(strict.address)).toMatch(/^[\dA-F:]+$/)
  await using choosy = await served({ "tls-cipher-suites": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384" })
  const old = { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" } as const
  await expect(shown(choosy.address, old)).rejects.toThrow(/handshake failure/)
})

/** What the port answers to a client with this certificate. */
function asked(address: string, shows: { readonly certificate: string; readonly key: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cert: shows.certificate, key: shows.key, rejectUnauthorized: false, agent: false }
    const request = get(`${address}/metrics`, options, async (answer) => resolve(await text(answer)))
    request.on("error", reject)
  })
}

test("--client-ca-file was taken without effect: its certificates say who asks, and those of others nothing; without it none does", async () => {
  const [one, two] = await pairs()
  const files = virtualFiles(systemClock)
  files.write("/ca.crt", one.ca.certificate)
  await using port = await served({ "client-ca-file": "/ca.crt" }, files)
  expect(await asked(port.address, one.admin)).toContain("kubernetes-admin")
  expect(await asked(port.address, two.admin)).toContain("untrusted")
  await using closed = await served({})
  expect(await asked(closed.address, one.admin)).toContain("no certificate")
})

test("a certificate that was renewed needed a restart: SIGHUP, or ten seconds, are enough; a key of another one changes nothing", async () => {
  using signals = new Signals()
  const [one, two] = await pairs()
  const files = virtualFiles(systemClock)
  files.write("/tls.crt", one.server.certificate)
  files.write("/tls.key", one.server.key)
  await using port = await served({ "tls-cert-file": "/tls.crt", "tls-private-key-file": "/tls.key" }, files)
  files.write("/tls.crt", two.server.certificate)
  signals.send("SIGHUP")
  expect(await shown(port.address)).toBe(fingerprint(one.server.certificate))
  files.write("/tls.key", two.server.key)
  signals.send("SIGHUP")
  expect(await shown(port.address)).toBe(fingerprint(two.server.certificate))
  expect(port.said()).toEqual([
    "error: the certificate of health and metrics could not be read again; the last good one stays",
    "info: the certificate of health and metrics was read again; new connections meet the new one",
  ])
})

test.each<[flag: string, part: "certificate" | "key", message: string]>([
  ["root-ca-file", "key", "--root-ca-file: expected a certificate (PEM) in /file, found something else"],
  ["service-account-private-key-file", "certificate", "--service-account-private-key-file: expected a private key (PEM) in /file, found"],
])("--%s with a %s in it was found out after the cluster, in OpenSSL's words", async (flag, part, message) => {
  const [one] = await pairs()
  const files = virtualFiles(systemClock)
  files.write("/file", one.server[part])
  const check = () => checkOwnFiles(settingsOf({ [flag]: "/file" }, {}).own, { files, clock: systemClock })
  expect(check).toThrow(expect.objectContaining({ code: "USAGE", message: expect.stringContaining(message) }))
})

test("refuses a key of another certificate in plain words, before a cluster is asked", async () => {
  const [one, two] = await pairs()
  const files = virtualFiles(systemClock)
  files.write("/tls.crt", one.server.certificate)
  files.write("/tls.key", two.server.key)
  const { own } = settingsOf({ "tls-cert-file": "/tls.crt", "tls-private-key-file": "/tls.key" }, {})
  const check = () => checkOwnFiles(own, { files, clock: systemClock })
  expect(check).toThrow("expected the key of /tls.crt in /tls.key, found another one; give the two that belong together")
})
