import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:tls"
import { ensureCertificates, ensureServingCertificate } from "@pilothouse/apiserver"
import { PilothouseError, readText, recordingLog, seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { startApiServer } from "../apiserver/start.ts"
import { defaults } from "../apiserver/testing/flags.ts"
import { startEmbeddedApi } from "../embedded/api-server.ts"
import { type Kubeconfig, writeKubeconfig } from "../kubeconfig/kubeconfig.ts"
import { publishRenewed } from "../kubeconfig/merge-kubeconfig.ts"
import { renewWhileRunning } from "./renewal.ts"

const day = 24 * 3_600_000
const path = "/home/me/kubeconfig"

function setUp() {
  const clock = new VirtualClock()
  return { clock, files: virtualFiles(clock), random: seededRandom(7), ...recordingLog() }
}

/** What a client that connects is shown. TLS itself goes by the machine's clock: the certificate's time is judged by the test's. */
async function shown(port: number): Promise<X509Certificate> {
  const socket = connect({ host: "127.0.0.1", port, servername: "localhost", rejectUnauthorized: false })
  try {
    await once(socket, "secureConnect")
    return new X509Certificate(socket.getPeerCertificate().raw)
  } finally {
    socket.destroy()
  }
}

function isValid({ validFrom, validTo }: X509Certificate, clock: VirtualClock): boolean {
  return Date.parse(validFrom) <= clock.now() && clock.now() < Date.parse(validTo)
}

function publishTo(paths: readonly string[], { files, log }: Pick<ReturnType<typeof setUp>, "files" | "log">) {
  return async (issued: readonly Kubeconfig[], after: Kubeconfig) => publishRenewed(files, paths, { issued, after, log })
}

/** The administrator's certificate in the kubeconfig on disk. */
function administrator(text: string | undefined): X509Certificate {
  const { users } = JSON.parse(text ?? "{}") as { users: readonly { user: { "client-certificate-data": string } }[] }
  return new X509Certificate(Buffer.from(users[0]?.user["client-certificate-data"] ?? "", "base64"))
}

test("`up` ran into the end of its certificates after a year: for 400 days every connection and the kubeconfig work", async () => {
  const { clock, files, random, log, lines } = setUp()
  const kubeconfigRenewed = publishTo([path], { files, log })
  const options = { clock, random, files, log, dataDirectory: "/data", ephemeral: true, port: 0, nodes: 0, kubeconfigRenewed }
  await using api = await startEmbeddedApi(options, {})
  writeKubeconfig(files, path, api.kubeconfig)
  const authority = new X509Certificate(api.certificates.ca.certificate)
  const serials = new Set<string>()
  for (let days = 0; days <= 400; days++) {
    const admin = administrator(readText(files, path))
    for (const certificate of [await shown(api.port), admin]) {
      expect([days, isValid(certificate, clock), certificate.checkIssued(authority)]).toEqual([days, true, true])
      serials.add(certificate.serialNumber)
    }
    expect(admin.subject).toBe("CN=kubernetes-admin\nO=system:masters")
    await clock.advance(day)
  }
  expect(serials.size).toBe(4)
  expect(files.facts(path)?.mode).toBe(0o600)
  expect(lines.filter(({ level }) => level !== "debug")).toEqual([
    { level: "info", message: "the certificates of the API server were renewed; new connections meet the new ones", fields: {} },
  ])
  // The next start finds what was renewed.
  const next = await ensureCertificates({ clock, random, files, directory: "/data/pki", serviceIp: "10.96.0.1" })
  expect(new X509Certificate(next.server.certificate).serialNumber).toBe((await shown(api.port)).serialNumber)
  expect(next.serviceAccount).toEqual(api.certificates.serviceAccount)
})

test("one unreadable kubeconfig kept the others and the next start from renewed credentials", async () => {
  const { clock, files, random, log, lines } = setUp()
  const broken = "/home/me/.kube/config"
  const kubeconfigRenewed = publishTo([path, broken], { files, log })
  const options = { clock, random, files, log, dataDirectory: "/data", ephemeral: true, port: 0, nodes: 0, kubeconfigRenewed }
  await using api = await startEmbeddedApi(options, {})
  writeKubeconfig(files, path, api.kubeconfig)
  const first = readText(files, path)
  files.write(broken, "just words")
  const inUse =
    "the certificates of the API server were renewed, and new connections meet the new ones, but some files do not have them yet"
  await clock.advance(245 * day)
  expect(readText(files, path)).not.toBe(first)
  const errors = lines.filter(({ level }) => level === "error" || level === "warn")
  expect([...new Set(errors.map(({ message }) => message))]).toEqual([`${inUse}; it is tried again in an hour`])
  expect(errors[0]?.fields).toEqual({
    error: `expected a kubeconfig in ${broken}, found no map; mend or move the file, or leave --merge out`,
  })
  const next = await ensureCertificates({ clock, random, files, directory: "/data/pki", serviceIp: "10.96.0.1" })
  expect(new X509Certificate(next.server.certificate).serialNumber).toBe((await shown(api.port)).serialNumber)
  // Repaired, it has the new ones within the hour, and nothing more is logged.
  files.write(broken, first ?? "")
  await clock.advance("1h")
  expect(readText(files, broken)).toBe(readText(files, path))
  const told = lines.length
  await clock.advance(10 * day)
  expect(lines.slice(told).filter(({ level }) => level !== "debug")).toEqual([])
})

test("`apiserver` renews its own certificate too, and takes over one of --tls-cert-file that was replaced, into the kubeconfig as well", async () => {
  const { clock, files, random, log } = setUp()
  await using own = await startApiServer(defaults, { clock, files, random, log })
  const port = Number(new URL(own.url).port)
  for (let days = 0; days <= 400; days += 10) {
    expect([days, isValid(await shown(port), clock)]).toEqual([days, true])
    await clock.advance(10 * day)
  }
  const make = (directory: string) => ensureServingCertificate({ clock, files, random, directory, name: "tls" })
  const [one, two] = [await make("/one"), await make("/two")]
  const put = ({ certificate, key }: typeof one) => {
    files.write("/tls.crt", certificate)
    files.write("/tls.key", key)
  }
  put(one)
  const renewed: string[] = []
  const kubeconfigRenewed = async (_: readonly Kubeconfig[], { clusters }: Kubeconfig) => void renewed.push(JSON.stringify(clusters))
  const flags = { ...defaults, dataDir: "/given", tlsCertFile: "/tls.crt", tlsPrivateKeyFile: "/tls.key" }
  await using given = await startApiServer(flags, { clock, files, random, log, kubeconfigRenewed })
  put(two)
  await clock.advance("10s")
  const { serialNumber } = await shown(Number(new URL(given.url).port))
  expect(serialNumber).toBe(new X509Certificate(two.certificate).serialNumber)
  expect(renewed).toEqual([expect.stringContaining(Buffer.from(two.certificate).toString("base64"))])
})

test("a renewal that fails is logged and tried again every hour, long before the end", async () => {
  const { clock, files, random, log, lines } = setUp()
  const make = () => ensureServingCertificate({ clock, files, random, directory: "/pki", name: "tls" })
  let { certificate } = await make()
  let failures = 3
  const renew = async () => {
    if (failures-- > 0) throw new PilothouseError("FILE", "the disk is full")
    certificate = (await make()).certificate
  }
  await using _ = renewWhileRunning({ of: "a test", clock, log, certificates: () => [certificate], renew })
  const first = certificate
  await clock.advance(243 * day)
  await clock.advance("11h")
  expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    ...Array(3).fill("error the certificates of a test could not be renewed; it is tried again in an hour"),
    "info the certificates of a test were renewed; new connections meet the new ones",
  ])
  expect(lines[0]?.fields).toEqual({ error: "the disk is full", ends: [new X509Certificate(first).validTo] })
  expect(certificate).not.toBe(first)
})

test("a clock that jumps ahead is noticed within 12 hours", async () => {
  const { clock, files, random, log } = setUp()
  const { certificate } = await ensureServingCertificate({ clock, files, random, directory: "/pki", name: "tls" })
  let asked = 0
  const jumped = { ...bound(clock), now: () => clock.now() + 300 * day }
  const renew = async () => void asked++
  await using _ = renewWhileRunning({ of: "a test", clock: jumped, log, certificates: () => [certificate], renew })
  await clock.advance("12h")
  expect(asked).toBeGreaterThan(0)
})

function bound(clock: VirtualClock) {
  return {
    elapsed: () => clock.elapsed(),
    sleep: clock.sleep.bind(clock),
    timer: clock.timer.bind(clock),
    external: clock.external.bind(clock),
  }
}

test("in the last year of the authority's ten a warning comes every day, and says how it is renewed without new keys", async () => {
  const { clock, files, random, log, lines } = setUp()
  const options = { clock, random, files, directory: "/pki", serviceIp: "10.96.0.1" }
  const { ca } = await ensureCertificates(options)
  const authority = { certificate: ca.certificate, file: "/pki/ca.crt" }
  const fresh = () => ensureServingCertificate({ ...options, directory: `/own-${clock.now()}`, name: "tls" })
  let { certificate } = await fresh()
  const renew = async () => {
    certificate = (await fresh()).certificate
  }
  await using _ = renewWhileRunning({ of: "a test", clock, log, certificates: () => [certificate], authority, renew })
  await clock.advance(3280 * day)
  expect(lines.filter(({ level }) => level === "warn")).toEqual([])
  await clock.advance(10 * day)
  const warnings = lines.filter(({ level }) => level === "warn")
  expect(warnings.length).toBeGreaterThan(4)
  expect(warnings.length).toBeLessThan(11)
  expect(warnings[0]?.message).toMatch(
    /^the certificate authority of a test ends in 36\d days \(.*\), and no client .* remove \/pki\/ca\.crt /,
  )
  // What the warning says to do: the new authority has the same key, so that certificates of the old one are still known.
  const old = await ensureCertificates(options)
  files.remove("/pki/ca.crt")
  const renewed = await ensureCertificates(options)
  expect(renewed.ca.key).toBe(ca.key)
  expect(new X509Certificate(old.admin.certificate).checkIssued(new X509Certificate(renewed.ca.certificate))).toBe(true)
})
