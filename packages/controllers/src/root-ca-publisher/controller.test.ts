import { configMaps, namespaces } from "@pilothouse/api/core/v1"
import type { Transport } from "@pilothouse/seams"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { rootCaPublisherController } from "./controller.ts"

const only = { controllers: [], extra: [rootCaPublisherController({ rootCa: "CA" })] }
const key = "shop/kube-root-ca.crt"

async function withShop(running: Cluster): Promise<void> {
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
  await running.settled()
}

test("every namespace has the CA; it is restored when a client edits or deletes it, and other ConfigMaps are left alone", async () => {
  await using running = await cluster(only)
  await withShop(running)
  await running.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other", namespace: "shop" }, data: { a: "b" } })
  await running.client.patch(configMaps, key, { data: { more: "x" } })
  await running.settled()
  expect((await running.client.get(configMaps, key)).data).toEqual({ "ca.crt": "CA" })
  await running.client.delete(configMaps, key)
  await running.settled()
  expect((await running.client.get(configMaps, key)).data).toEqual({ "ca.crt": "CA" })
  expect((await running.client.get(configMaps, "shop/other")).data).toEqual({ a: "b" })
})

test("another text of the description stays, without a fight", async () => {
  let writes = 0
  const layer =
    (inner: Transport): Transport =>
    (request) => {
      if (request.verb !== "GET") writes++
      return inner(request)
    }
  await using running = await cluster({ ...only, nodes: 0, layer })
  await withShop(running)
  await running.client.patch(configMaps, key, { metadata: { annotations: { "kubernetes.io/description": "of another release" } } })
  writes = 0
  await running.advance("1h")
  expect((await running.client.get(configMaps, key)).metadata.annotations?.["kubernetes.io/description"]).toBe("of another release")
  expect(writes).toBe(0)
})

test("a namespace that goes away gets none", async () => {
  await using running = await cluster(only)
  await withShop(running)
  await running.client.delete(namespaces, "shop")
  await running.client.delete(configMaps, key)
  await running.advance("10m")
  expect(await running.list(configMaps, { namespace: "shop" })).toEqual([])
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await withShop(running)
        await running.advance("30s")
        await running.client.patch(configMaps, key, { data: { "ca.crt": "wrong" } })
        await running.advance("60s")
      },
    },
    { sample: 10, seed: 6, writers: ["root-ca-certificate-publisher-controller"] },
  )
  expect(report.tried).toBe(10)
})
