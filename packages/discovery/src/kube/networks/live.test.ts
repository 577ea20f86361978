import type { ConfigMap } from "@pilothouse/api/core/v1"
import { recordingLog, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { kubeNamespace, kubePod, kubeService, kubeSlice } from "../../testing/kube-objects.ts"
import { registryFixture } from "../../testing/registry-fixture.ts"
import { MeshNetworksFollower } from "./follow.ts"

const host = "web.shop.svc.cluster.local"
const objects = [
  kubeService("shop/web"),
  kubePod("shop/web-1", { ip: "10.10.1.1" }),
  kubeSlice("shop/web-1", { endpoints: [{ ip: "10.10.1.1", pod: "web-1" }] }),
]
const networks = (name: string) => JSON.stringify({ networks: { [name]: { endpoints: [{ fromCidr: "10.10.0.0/16" }] } } })
const configMap = (text: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "istio-system", name: "istio" },
  data: { meshNetworks: text },
})

test("a ConfigMap of mesh networks is followed live, and a bad one keeps the last good", async () => {
  await using f = await registryFixture({
    meshNetworks: { configMap: { name: "istio-system/istio" } },
    objects: [...objects, configMap(networks("one"))],
  })
  const network = () => f.registry.endpoints(host)[0]?.network
  expect(network()).toBe("one")
  f.told()
  await f.put(configMap(networks("two")))
  expect([network(), f.told()]).toEqual(["two", ["config: the mesh networks changed", "endpoints web.shop"]])
  await f.put(configMap("{ not json"))
  expect([network(), f.told(), f.lines.filter(({ level }) => level === "warn").length]).toEqual(["two", [], 1])
  await f.put(configMap(JSON.stringify({ networks: { three: { endpoints: [{ fromCidr: "nonsense" }] } } })))
  expect(network()).toBe("two")
  await f.remove(configMap(""))
  expect(network()).toBe("two")
  await f.put(configMap(networks("four")))
  expect(network()).toBe("four")
})

test("a file of mesh networks is followed live, and one that is gone or empty for a moment changes nothing", async () => {
  const clock = new VirtualClock()
  const files = virtualFiles({ now: () => clock.now() })
  files.write("/etc/mesh", networks("one"))
  await using f = await registryFixture({ clock, meshNetworks: { file: { files, path: "/etc/mesh" } }, objects })
  const network = () => f.registry.endpoints(host)[0]?.network
  expect(network()).toBe("one")
  files.remove("/etc/mesh")
  await f.clock.advance("10s")
  expect(network()).toBe("one")
  files.write("/etc/mesh", "\n")
  await f.clock.advance("10s")
  expect(network()).toBe("one")
  files.write("/etc/mesh", networks("two"))
  await f.clock.advance("10s")
  expect(network()).toBe("two")
  files.write("/etc/mesh", JSON.stringify({ networks: {} }))
  await f.clock.advance("10s")
  expect(network()).toBe("")
})

test("where a subscriber to new networks throws, they are not treated as invalid, and are notified again", () => {
  const { log, lines } = recordingLog()
  const told: number[] = []
  let fails = true
  const changed = ({ size }: ReadonlyMap<string, unknown>) => {
    if (fails) throw new Error("not now")
    told.push(size)
  }
  const follower = new MeshNetworksFollower({ source: {}, log, changed })
  expect(() => follower.take(networks("one"), "here")).toThrow("not now")
  fails = false
  follower.take(networks("one"), "here")
  follower.take(networks("one"), "here")
  expect([told, lines]).toEqual([[1], []])
})

test("the text may be read by another reader than JSON's", async () => {
  const parse = (text: string) => ({ networks: { [text.trim()]: { endpoints: [{ fromRegistry: "Kubernetes" }] } } })
  await using f = await registryFixture({
    meshNetworks: { configMap: { name: "istio-system/istio" }, parse },
    objects: [...objects, configMap("five\n")],
  })
  expect(f.registry.endpoints(host)[0]?.network).toBe("five")
})

test("the label of the system namespace names the network of the cluster, whether or not that namespace is discovered", async () => {
  const shop = kubeNamespace("shop", { mesh: "on" })
  await using f = await registryFixture({ discoverySelectors: [{ matchLabels: { mesh: "on" } }], objects: [...objects, shop] })
  f.told()
  await f.put(kubeNamespace("istio-system", { "topology.istio.io/network": "east-net" }))
  expect([f.registry.endpoints(host)[0]?.network, f.told()]).toEqual([
    "east-net",
    ["config: the network of the system namespace changed", "endpoints web.shop"],
  ])
  await f.put(kubeNamespace("istio-system"))
  expect(f.registry.endpoints(host)[0]?.network).toBe("")
})

test("a pod's own label wins, and the registry's option is the last resort", async () => {
  await using f = await registryFixture({ network: "home", objects })
  expect(f.registry.endpoints(host)[0]?.network).toBe("home")
  await f.put(kubePod("shop/web-1", { ip: "10.10.1.1", labels: { "topology.istio.io/network": "own" } }))
  expect(f.registry.endpoints(host)[0]?.network).toBe("own")
})
