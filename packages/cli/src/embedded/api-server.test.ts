import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:net"
import { networkInterfaces } from "node:os"
import { endpoints } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import { recordingLog, seededRandom, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { startEmbeddedApi } from "./api-server.ts"

test("it listened on loopback whatever its options: another address is listened on, is in the certificate and given to pods", async () => {
  const files = virtualFiles(systemClock)
  const open = { bindAddress: "0.0.0.0", addresses: ["192.0.2.7"], dataDirectory: "/data", ephemeral: true, port: 0, nodes: 0 }
  await using api = await startEmbeddedApi({ ...open, clock: systemClock, random: seededRandom(7), files, log: recordingLog().log }, {})
  expect(api.url).toBe(`https://127.0.0.1:${api.port}`)
  const certificate = new X509Certificate(api.certificates.server.certificate)
  expect([certificate.checkIP("192.0.2.7"), certificate.checkIP("127.0.0.1")]).toEqual(["192.0.2.7", "127.0.0.1"])
  const { subsets } = await createClient(api.server.transport()).get(endpoints, "default/kubernetes")
  expect(subsets?.[0]?.addresses).toEqual([{ ip: "192.0.2.7" }])
  // As Go means it, of both families.
  for (const address of ["127.0.0.2", ...(hasIpv6() ? ["::1"] : [])]) {
    const socket = connect(api.port, address)
    await once(socket, "connect")
    socket.destroy()
  }
})

/** Some containers have none. */
function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === "::1"))
}

test.each([
  ["a first start says nothing", false, []],
  ["where there are objects and no keys, they were lost, and that is said", true, ["ca.crt and ca.key were", "sa.key and sa.pub were"]],
])("%s", async (_what, hasObjects, lost) => {
  const files = virtualFiles(systemClock)
  if (hasObjects) files.makeDirectory("/data/storage", 0o700)
  const { log, lines } = recordingLog()
  const options = { clock: systemClock, random: seededRandom(7), files, log, dataDirectory: "/data", ephemeral: true, port: 0, nodes: 0 }
  await using _api = await startEmbeddedApi(options, {})
  expect(lines.map(({ level, message }) => `${level} ${message.split(" missing")[0]}`)).toEqual(lost.map((what) => `warn ${what}`))
})

test("kubelets know the server by a certificate that may proxy to nodes and nothing else", async () => {
  const files = virtualFiles(systemClock)
  const options = {
    clock: systemClock,
    random: seededRandom(7),
    files,
    log: recordingLog().log,
    dataDirectory: "/data",
    ephemeral: true,
    port: 0,
  }
  await using api = await startEmbeddedApi({ ...options, nodes: 0, authorizationModes: ["Node", "RBAC"] }, {})
  const { certificate } = api.kubeletClient.identity!()
  const shown = new X509Certificate(certificate)
  expect(shown.subject).toBe("CN=system:serviceaccount:kube-system:kubelet-client")
  expect(shown.verify(new X509Certificate(api.certificates.ca.certificate).publicKey)).toBe(true)
  expect(api.kubeletClient.identity!().certificate).toBe(certificate)
  const as = api.server.transport({ name: "system:serviceaccount:kube-system:kubelet-client", groups: ["system:authenticated"] })
  const statusOf = async (path: string) => (await as({ verb: "GET", path, query: {}, headers: {} })).status
  expect([await statusOf("/api/v1/secrets"), await statusOf("/api/v1/nodes/n/proxy/healthz")]).toEqual([403, 404])
})
