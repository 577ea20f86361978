import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { fakeHost } from "../process/testing/spawn.ts"
import { registerSimulatedNodes } from "./node/simulated-node.ts"

const web: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default" },
  spec: { containers: [{ name: "main", image: "process", command: ["serve"] }] },
}

const addressOf = async ({ client }: Cluster) => (await client.get(pods, "default/web")).status?.podIP

test("a process that is none after a restart without --exec kept an address that only processes have", async () => {
  await using running = await cluster({ controllers: [], exec: fakeHost() })
  await running.apply(web)
  await running.settled()
  expect(await addressOf(running)).toBe("127.116.1.1")
  await registerSimulatedNodes(running.client, 1)
  await running.settled()
  const { podIP, podIPs } = (await running.client.get(pods, "default/web")).status ?? {}
  expect(podIP).toMatch(/^10\.244\.1\./)
  expect(podIPs).toEqual([{ ip: podIP }])
})

test("a pod that is a process after a restart with --exec had no address of this host", async () => {
  const host = fakeHost()
  await using running = await cluster({ controllers: [], exec: host })
  await registerSimulatedNodes(running.client, 1)
  await running.settled()
  await running.apply(web)
  await running.settled()
  expect({ address: await addressOf(running), started: host.started.length }).toEqual({ address: "10.244.1.1", started: 0 })
  await registerSimulatedNodes(running.client, 1, { exec: true })
  await running.advance("15s")
  const address = await addressOf(running)
  expect(address).toMatch(/^127\.116\.1\./)
  expect(host.started.at(-1)?.env.POD_IP).toBe(address)
})

test("nodes of an earlier start with more of them run processes as the others do", async () => {
  await using running = await cluster({ controllers: [], nodes: 3 })
  const labels = async () => (await running.list(nodes)).map(({ metadata }) => metadata.labels?.["pilothouse.dev/exec"])
  await registerSimulatedNodes(running.client, 1, { exec: true })
  expect(await labels()).toEqual(["true", "true", "true"])
  await registerSimulatedNodes(running.client, 1)
  expect(await labels()).toEqual([undefined, undefined, undefined])
})

test("nodes that are no simulated ones are left alone", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  await running.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "real" } })
  await registerSimulatedNodes(running.client, 1, { exec: true })
  expect((await running.client.get(nodes, "real")).metadata.labels?.["pilothouse.dev/exec"]).toBeUndefined()
})

test.each([false, true])("a process pod does not keep a loopback address that no kubelet gives (hostNetwork: %s)", async (hostNetwork) => {
  await using running = await cluster({ controllers: [], exec: fakeHost() })
  await running.apply({ ...web, spec: { ...web.spec!, hostNetwork } })
  await running.settled()
  const before = await addressOf(running)
  const stored = await running.client.get(pods, "default/web")
  const status = { ...stored.status, podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }] }
  await running.client.updateStatus(pods, { ...stored, status })
  await running.settled()
  const { podIP, podIPs } = (await running.client.get(pods, "default/web")).status ?? {}
  expect([podIP, podIPs]).toEqual([before, [{ ip: before }]])
})
