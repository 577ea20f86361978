import { expect, test } from "vitest"
import { kubeNode, kubePod } from "../testing/kube-objects.ts"
import { registryFixture } from "../testing/registry-fixture.ts"
import { clientOf, placedAt, podOf } from "./client.ts"

const zone = { "topology.kubernetes.io/region": "r2", "topology.kubernetes.io/zone": "z2" }
const id = (pod: string) => `sidecar~10.0.0.1~${pod}~shop.svc.cluster.local`
const said = { locality: { region: "r1", zone: "z1" }, metadata: { fields: { NODE_NAME: { stringValue: "n1" } } } }

async function placeOf(pod: string, cluster = "") {
  const objects = [kubeNode("n2", zone), kubeNode("n3", {}), kubePod("shop/web.v1", { node: "n2" }), kubePod("shop/bare", { node: "n3" })]
  await using f = await registryFixture({ objects })
  const fields = { ...said.metadata.fields, CLUSTER_ID: { stringValue: cluster } }
  const client = clientOf({ ...said, id: id(pod), metadata: { fields } })
  const place = f.registry.placeOf(podOf(client), client.cluster)
  const { node, locality } = place === undefined ? client : placedAt(client, place)
  return `${node} ${locality.region}/${locality.zone}`
}

test("a client whose pod is known is where the pod is, whatever its bootstrap says", async () => {
  expect(await placeOf("web.v1.shop")).toBe("n2 r2/z2")
  expect(await placeOf("web.v1.shop", "Kubernetes")).toBe("n2 r2/z2")
})

test("where the node says no zone, the client's own counts", async () => {
  expect(await placeOf("bare.shop")).toBe("n3 r1/z1")
})

test("a pod of another cluster, another namespace or none is not looked for here", async () => {
  expect(await placeOf("web.v1.shop", "elsewhere")).toBe("n1 r1/z1")
  expect(await placeOf("web.v1.other")).toBe("n1 r1/z1")
})

test.each([
  ["sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local", "shop/web-1"],
  ["sidecar~10.0.0.1~web.v1.shop~shop.svc.cluster.local", "shop/web.v1"],
  ["sidecar~10.0.0.1~web-1~shop.svc.cluster.local", ""],
  ["a client", ""],
])("the id %s names the pod %s", (text, pod) => {
  expect(podOf(clientOf({ id: text }))).toBe(pod)
})
