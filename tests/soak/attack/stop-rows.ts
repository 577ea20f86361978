import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { freePorts } from "../../real/free-ports.ts"
import { preface } from "./http2-frames.ts"
import type { Attempt, Row } from "./row.ts"
import { startApiServer } from "./server.ts"
import { isTrueWithin, pause, until, within } from "./waiting.ts"
import { administrator, Wire } from "./wire.ts"

/** Milliseconds from SIGTERM to the end, whatever clients do. */
const stopTime = 10_000
/** Milliseconds: clients stay for longer than any grace period. */
const stayTime = 30_000

/** Connections in every state, that stay until the process is gone. */
async function openEverything({ anonymous, admin }: Attempt): Promise<void> {
  for (let count = 0; count < 3; count++) anonymous.tcp().resume()
  anonymous.tcp().write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]))
  const idle = await anonymous.tls("http/1.1")
  idle.resume()
  const begun = await anonymous.tls("http/1.1")
  begun.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
  const body = await anonymous.tls("http/1.1")
  body.write("POST /api/v1/secrets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nabc")
  const session = await anonymous.tls("h2")
  session.write(preface)
  await anonymous.tls("h2")
  const watch = admin.session().request({ ":path": "/api/v1/namespaces/default/pods?watch=1" })
  watch.on("error", () => {})
  watch.pause()
  await pause(500)
}

async function stopWithClients(attempt: Attempt): Promise<void> {
  await openEverything(attempt)
  const begun = performance.now()
  attempt.target.signal("SIGTERM")
  const result = await within(attempt.target.ended, stayTime)
  const took = performance.now() - begun
  attempt.expect(
    result === 0 && took < stopTime,
    `exit code 0 within ${stopTime / 1000} s of SIGTERM`,
    `${result} after ${Math.round(took)} ms`,
  )
}

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"

async function leaseHolder(admin: Wire): Promise<string | undefined> {
  const path = `${leases}/kube-controller-manager`
  return JSON.parse((await admin.send({ path })).text).spec?.holderIdentity
}

/** The process is healthy before it leads. */
async function untilLeads(admin: Wire): Promise<void> {
  await until("a leader", async () => ((await leaseHolder(admin)) ?? "") !== "", 60_000)
}

/** The Lease is released, so that a standby starts at once. */
async function stopLeading(attempt: Attempt): Promise<void> {
  await untilLeads(attempt.admin)
  await stopWithClients(attempt)
  const after = await leaseHolder(attempt.admin)
  attempt.expect(after === undefined || after === "", "the Lease to be released", after)
}

/** One promise that rejects unhandled is a bug: it is logged with its cause, and ends the process cleanly. */
async function unhandledRejection({ target, admin, expect }: Attempt): Promise<void> {
  await target.ask("reject", 5000)
  const result = await within(target.ended, stopTime)
  expect(result !== undefined && result !== 0, "the process to end with a code that is not 0", result)
  expect(target.output.includes("a rejection that the attack made"), "the rejection to be logged", target.output.slice(-500))
  expect(target.output.includes("its cause"), "the cause of the rejection to be logged", target.output.slice(-500))
  const holder = await leaseHolder(admin)
  expect(holder === undefined || holder === "", "the Lease to be released", holder)
}

/** Another holder takes the Lease without waiting for its end: this process stops, and makes nothing while the other one leads. */
async function stolenLease({ target, admin, expect, expectStatus }: Attempt): Promise<void> {
  await untilLeads(admin)
  const path = `${leases}/kube-controller-manager`
  const headers = { "content-type": "application/merge-patch+json" }
  const renewTime = `${new Date(Date.now() + 60_000).toISOString().slice(0, -1)}000Z`
  const body = { spec: { holderIdentity: "thief", renewTime, leaseDurationSeconds: 60 } }
  expectStatus("the Lease of the thief", await admin.send({ method: "PATCH", path, headers, body }), 200)
  const result = await within(target.ended, stayTime)
  expect(result !== undefined && result !== 0, "the process to end when another one leads", result ?? "that it goes on")
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
  const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template }
  await admin.create("/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "late" }, spec })
  await pause(3000)
  const { text } = await admin.send({ path: "/apis/apps/v1/namespaces/default/replicasets" })
  expect(JSON.parse(text).items.length === 0, "no ReplicaSet while the thief leads", text.slice(0, 300))
  const holder = await leaseHolder(admin)
  expect(holder === "thief", "the Lease to be left to its holder", holder)
}

/** Requests that a cloud in trouble may get in twenty seconds: three attempts of each call, with pauses that grow. */
const maxCloudRequests = 150

/** A cloud that answers every request with 500, for ever: it is not asked without end. */
async function brokenCloud({ directory, start, expect }: Attempt): Promise<void> {
  let requests = 0
  const cloud = createServer((request, response) => {
    requests++
    request.resume()
    response.writeHead(500).end("broken")
  })
  await new Promise<void>((resolve) => cloud.listen(0, "127.0.0.1", resolve))
  await using _cloud = { [Symbol.asyncDispose]: async () => void cloud.close(() => cloud.closeAllConnections()) }
  const api = await startApiServer(join(directory, "api"))
  await using _api = { [Symbol.asyncDispose]: () => api.program.kill() }
  const url = `http://127.0.0.1:${(cloud.address() as AddressInfo).port}/v3`
  const user = { OS_USERNAME: "u", OS_PASSWORD: "p", OS_PROJECT_NAME: "p", OS_USER_DOMAIN_NAME: "d", OS_PROJECT_DOMAIN_NAME: "d" }
  const [port = 0] = await freePorts(1)
  const own = ["--secure-port", String(port), "--cert-dir", join(directory, "run"), "--cloud-provider", "openstack"]
  const run = start(["run", "--kubeconfig", api.kubeconfig, ...own], { environment: { OS_AUTH_URL: url, ...user } })
  const admin = new Wire(Number(/127\.0\.0\.1:(\d+)/.exec(api.program.output)?.[1]), administrator(api.kubeconfig))
  for (let index = 0; index < 5; index++)
    await admin.create("/api/v1/namespaces/default/services", {
      metadata: { name: `lb-${index}` },
      spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
    })
  await isTrueWithin(() => requests > 0 || run.isOver, 60_000)
  const first = requests
  await pause(20_000)
  admin.leave()
  expect(first > 0, "the cloud to be asked", run.output.slice(-500))
  expect(requests <= maxCloudRequests, `at most ${maxCloudRequests} requests to a cloud that is broken, in 20 s`, requests)
  expect(run.isOver || (await run.end(stopTime)) !== undefined, "an end at SIGTERM", "none")
}

/** These end the process themselves: nothing is judged after them. */
export const stopRows: readonly Row[] = [
  { number: 14, name: "SIGTERM with clients in every state", server: "up", endsItself: true, attempt: stopWithClients },
  { number: 14, name: "SIGTERM with clients in every state, on run", server: "run", endsItself: true, attempt: stopLeading },
  { number: 118, name: "a Lease that another one takes", server: "run", endsItself: true, attempt: stolenLease },
  { number: 117, name: "a cloud that answers 500 for ever", server: "none", attempt: brokenCloud },
  { number: 30, name: "a rejection that is not handled, on run", server: "run", endsItself: true, attempt: unhandledRejection },
]
