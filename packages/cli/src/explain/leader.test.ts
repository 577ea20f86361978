import { leases } from "@pilothouse/api/coordination/v1"
import { ensureCertificates, serveHttps } from "@pilothouse/apiserver"
import { silentLog, type Transport, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import type { Connection } from "../client/connection.ts"
import { connectedCluster } from "../commands/test-connection.ts"
import { askLeader, isOfThisMachine } from "./leader.ts"

const look = { at: "2026-01-05T09:00:00Z", controller: "deployment-controller", key: "default/web" }

/** A leader that remembers one look, and tells it to whoever has the token. */
const leader: Transport = async ({ path, headers }) => {
  const isKnown = headers.authorization === "Bearer of-a-test" && path === "/debug/trace"
  const bytes = new TextEncoder().encode(isKnown ? JSON.stringify({ entries: [look] }) : "a token is needed")
  return { status: isKnown ? 200 : 401, headers: {}, body: { type: "bytes", bytes, contentType: "text/plain" } }
}

/** Over TLS, with a certificate that nobody knows, as `run` has it. */
async function served(): Promise<AsyncDisposable & { readonly address: string }> {
  const seams = { clock: systemClock, random: systemRandom(), log: silentLog }
  const certificates = await ensureCertificates({ ...seams, files: virtualFiles(systemClock), directory: "/pki", serviceIp: "10.96.0.1" })
  const https = await serveHttps({ ...seams, transportFor: () => leader, host: "127.0.0.1", port: 0, certificates })
  return { address: `https://127.0.0.1:${https.port}`, [Symbol.asyncDispose]: () => https.close(0) }
}

async function stage(holderIdentity: string, address: string, name = "kube-controller-manager") {
  const connection = await connectedCluster({ controllers: [], nodes: 0 })
  await hold(connection, holderIdentity, address, name)
  return connection
}

async function hold({ client }: Pick<Connection, "client">, holderIdentity: string, address: string, name: string): Promise<void> {
  const metadata = { name, namespace: "kube-system", annotations: { "pilothouse.dev/debug-address": address } }
  await client.create(leases, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: { holderIdentity } })
}

test("the leader is found by its Lease and asked with the user's token", async () => {
  await using port = await served()
  await using connection = await stage("one", port.address)
  expect(await askLeader(connection, {}, systemClock)).toEqual({ looks: [look] })
})

test("the handlers of OpenStack are found by their Lease, beside a leader of another program that cannot be asked", async () => {
  await using port = await served()
  await using connection = await stage("two", port.address, "kuryr-controller")
  expect(await askLeader(connection, {}, systemClock)).toEqual({ looks: [look] })
  await hold(connection, "one", "http://127.0.0.1:1", "kube-controller-manager")
  const { looks, failure } = await askLeader(connection, {}, systemClock)
  expect([looks, failure]).toEqual([[look], expect.stringContaining("127.0.0.1:1")])
  expect((await askLeader(connection, { lease: "kube-system/kube-controller-manager" }, systemClock)).looks).toEqual([])
})

test.each<[server: string, isOurs: boolean]>([
  ["https://127.0.0.1:10257", true],
  ["https://[::1]:10257", true],
  ["https://localhost:10257", true],
  ["https://192.0.2.7:10257", true],
  ["https://[2001:db8::7]:10257", true],
  ["https://192.0.2.8:10257", false],
  ["https://127.example.com:10257", false],
])("%s is on this machine, and needs no authority: %s", (server, isOurs) => {
  expect(isOfThisMachine(server, ["192.0.2.7", "2001:db8::7"])).toBe(isOurs)
})

test("an address that was given wins", async () => {
  await using port = await served()
  await using connection = await stage("one", "http://127.0.0.1:1")
  expect((await askLeader(connection, { server: port.address }, systemClock)).looks).toEqual([look])
})

test("a leader that cannot be reached is named", async () => {
  await using connection = await stage("one", "http://127.0.0.1:1")
  const { looks, failure } = await askLeader(connection, {}, systemClock)
  expect(looks).toEqual([])
  expect(failure).toBe(
    'the leader at http://127.0.0.1:1 could not be asked: that is the debug port of "pilothouse run", and it does not answer; check that this leader still runs, and that its port can be reached from here',
  )
})

test("one that refuses says why", async () => {
  await using port = await served()
  await using connection = await stage("one", port.address)
  const stranger = { ...connection, authorization: async () => "Bearer of-nobody" }
  expect((await askLeader(stranger, {}, systemClock)).failure).toContain("it answered 401: a token is needed")
})

test("a Lease that nobody holds leads nowhere", async () => {
  await using connection = await stage("", "http://127.0.0.1:1")
  expect(await askLeader(connection, {}, systemClock)).toEqual({ looks: [] })
})
