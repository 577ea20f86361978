import { X509Certificate } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { ensureCertificates } from "@pilothouse/apiserver"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import type { Attempt, Row } from "./row.ts"
import { startApiServer } from "./server.ts"
import { isTrueWithin, pause, within } from "./waiting.ts"
import { administrator, Wire } from "./wire.ts"

/** Milliseconds. */
const day = 86_400_000

interface Thief extends AsyncDisposable {
  readonly port: number
  /** Authorization headers that arrived. */
  readonly loot: readonly string[]
}

async function startThief(secure: boolean, directory: string): Promise<Thief> {
  const loot: string[] = []
  const certificates = secure
    ? await ensureCertificates({ files: systemFiles, clock: systemClock, random: systemRandom(), directory, serviceIp: "10.0.0.1" })
    : undefined
  const listener: Parameters<typeof createServer>[1] = (request, response) => {
    loot.push(request.headers.authorization ?? "")
    response.end('{"entries":[]}')
  }
  const server =
    certificates === undefined
      ? createServer(listener)
      : createSecureServer({ cert: certificates.server.certificate, key: certificates.server.key }, listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    loot,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A user that may write a Lease names the address that `explain` asks: it must not get the user's token there. */
async function stolenToken({ directory, start, expect }: Attempt): Promise<void> {
  const api = await startApiServer(join(directory, "api"))
  await using _api = { [Symbol.asyncDispose]: () => api.program.kill() }
  await using plain = await startThief(false, directory)
  await using secure = await startThief(true, join(directory, "thief"))
  const credentials = administrator(api.kubeconfig)
  const admin = new Wire(Number(/127\.0\.0\.1:(\d+)/.exec(api.program.output)?.[1]), credentials)
  const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
  await admin.create("/api/v1/namespaces", { metadata: { name: "kube-system" } })
  await admin.create("/api/v1/namespaces/kube-system/serviceaccounts", { metadata: { name: "pilothouse-viewer" } })
  await admin.create("/api/v1/namespaces/default/configmaps", { metadata: { name: "web" } })
  const addresses = [
    `http://0.0.0.0:${plain.port}`,
    `http://127.0.0.1:${plain.port}`,
    `http://localhost:${plain.port}`,
    `https://127.0.0.1:${secure.port}`,
    `https://localhost:${secure.port}`,
  ]
  for (const address of addresses) {
    await admin.send({ method: "DELETE", path: `${leases}/kube-controller-manager` })
    const lease = await admin.create(leases, {
      metadata: { name: "kube-controller-manager", annotations: { "pilothouse.dev/debug-address": address } },
      spec: { holderIdentity: "thief" },
    })
    expect(lease.status === 201, "the Lease of the thief", lease.text)
    const explain = start(["explain", "configmap/web", "--kubeconfig", api.kubeconfig])
    expect((await within(explain.ended, 60_000)) !== undefined, "explain to end", explain.output)
    const loot = [...plain.loot, ...secure.loot]
    expect(!loot.some((text) => text.includes(credentials.token!)), `the user's token not to be sent to ${address}`, loot)
    if (address.startsWith("http://0"))
      expect(
        loot.every((text) => text === ""),
        "no token in clear to 0.0.0.0",
        loot,
      )
  }
  admin.leave()
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

/** A file that others can read, or write, is there already. */
async function kubeconfigModes({ directory, startUp, expect }: Attempt): Promise<void> {
  const kubeconfig = join(directory, "kc")
  writeFileSync(kubeconfig, "")
  chmodSync(kubeconfig, 0o666)
  const home = join(directory, "home")
  mkdirSync(join(home, ".kube"), { recursive: true })
  const merged = join(home, ".kube", "config")
  writeFileSync(merged, JSON.stringify({ apiVersion: "v1", kind: "Config", clusters: [], users: [], contexts: [] }))
  chmodSync(merged, 0o644)
  await startUp(join(directory, "data"), ["--ephemeral", "--kubeconfig", kubeconfig, "--merge"], { environment: { HOME: home } })
  expect(modeOf(kubeconfig) === "600", "mode 600 of --kubeconfig", modeOf(kubeconfig))
  expect(modeOf(merged) === "600", "mode 600 of ~/.kube/config", modeOf(merged))
  expect(readFileSync(merged, "utf8").includes("pilothouse"), "the cluster in ~/.kube/config", readFileSync(merged, "utf8"))
}

/** Links under every name that a temporary file with the process id in it could have. */
async function guessedNames({ directory, startUp, expect }: Attempt): Promise<void> {
  const kubeconfig = join(directory, "kc")
  const victim = join(directory, "victim")
  const content = "not to be written"
  writeFileSync(victim, content)
  for (let pid = process.pid; pid < process.pid + 5000; pid++) symlinkSync(victim, `${kubeconfig}.${pid}-0.new`)
  await startUp(join(directory, "data"), ["--ephemeral", "--kubeconfig", kubeconfig])
  expect(readFileSync(victim, "utf8") === content, "the file behind the links to be as it was", readFileSync(victim, "utf8").slice(0, 100))
  expect(existsSync(kubeconfig) && modeOf(kubeconfig) === "600", "a kubeconfig that is a file of its own", modeOf(kubeconfig))
}

/** Certificates last for a year: a process that runs for longer must have others by then. */
async function renewedCertificates({ up, target, anonymous, expect }: Attempt): Promise<void> {
  const served = async () => new X509Certificate((await anonymous.tls("http/1.1")).getPeerCertificate().raw)
  const written = () => new X509Certificate(administrator(up.facts.kubeconfig).cert!)
  const [firstServed, firstWritten] = [await served(), written()]
  // Day by day: a timer that fires is started again from where the clock is.
  for (let days = 0; days < 300; days += 10) {
    await target.ask("jump", 10_000, 10 * day)
    await pause(20)
  }
  const now = Date.now() + 300 * day
  const isRenewed = async () => Date.parse((await served()).validTo) > now + 100 * day && Date.parse(written().validTo) > now + 100 * day
  const renewed = await isTrueWithin(isRenewed, 10_000)
  expect(
    renewed,
    "certificates of the server and of the kubeconfig that are valid for another 100 days after 300 days",
    `${(await served()).validTo} and ${written().validTo}; at the start ${firstServed.validTo} and ${firstWritten.validTo}`,
  )
}

/** Who could get hold of a credential. */
export const credentialRows: readonly Row[] = [
  { number: 7, name: "a Lease that names a thief to explain", server: "none", attempt: stolenToken },
  { number: 18, name: "kubeconfigs that others could read", server: "none", attempt: kubeconfigModes },
  { number: 19, name: "links under the names of temporary files", server: "none", attempt: guessedNames },
  // A clock that jumps leaves timers behind that no real clock would: the process is not judged after it.
  { number: 20, name: "certificates after 300 days", server: "up", endsItself: true, attempt: renewedCertificates },
]
