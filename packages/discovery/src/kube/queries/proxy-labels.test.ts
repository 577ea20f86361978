import { expect, test } from "vitest"
import { kubeNode, kubePod } from "../../testing/kube-objects.ts"
import { registryFixture } from "../../testing/registry-fixture.ts"

const objects = [
  kubePod("shop/web-1", { ip: "10.0.0.1", node: "n1", labels: { app: "web", "topology.kubernetes.io/zone": "its own word" } }),
  kubeNode("n1", { "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": "z1", "topology.istio.io/subzone": "s1" }),
]

test("a proxy has its pod's labels, and its node, locality, cluster and network as labels", async () => {
  await using f = await registryFixture({ objects, cluster: "east", network: "home" })
  expect(f.registry.proxyLabels({ id: "web-1.shop", addresses: [] })).toEqual({
    app: "web",
    "topology.kubernetes.io/region": "r1",
    "topology.kubernetes.io/zone": "z1",
    "topology.istio.io/subzone": "s1",
    "topology.istio.io/cluster": "east",
    "kubernetes.io/hostname": "n1",
    "topology.istio.io/network": "home",
  })
})

test("the node that the proxy itself names is its hostname label", async () => {
  await using f = await registryFixture({ objects })
  expect(f.registry.proxyLabels({ addresses: ["10.0.0.1"], node: "as-it-says" })["kubernetes.io/hostname"]).toBe("as-it-says")
})

test("a label of the pod names its network before anything else does; what is not known is no label", async () => {
  const pod = kubePod("shop/bare", { ip: "10.0.0.2", node: "gone", labels: { "topology.istio.io/network": "own" } })
  await using f = await registryFixture({ objects: [pod], network: "home" })
  expect(f.registry.proxyLabels({ addresses: ["10.0.0.2"] })).toEqual({
    "topology.istio.io/network": "own",
    "topology.istio.io/cluster": "Kubernetes",
    "kubernetes.io/hostname": "gone",
  })
})

test("none for a proxy whose pod is not known", async () => {
  await using f = await registryFixture({ objects })
  expect(f.registry.proxyLabels({ id: "web-9.shop", addresses: ["10.0.0.9"], labels: { app: "web" } })).toEqual({})
})
