import { resourceClaims, resourceClaimTemplates } from "@pilothouse/api/resource/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"

const spec = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpus" } }] } }
const other = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "others" } }] } }
const allocation = (device: string) => ({ devices: { results: [{ request: "gpu", driver: "d", pool: "p", device }] } })
const reservedFor = [{ resource: "pods", name: "a", uid: "uid-a" }]

async function start(): Promise<Cluster> {
  const running = await cluster({ controllers: [], nodes: 0 })
  await running.apply({
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name: "c", namespace: "default" },
    spec,
  } as never)
  return running
}

const write = async (running: Cluster, status: object) =>
  running.client.updateStatus(resourceClaims, { ...(await running.client.get(resourceClaims, "default/c")), status })

test("the spec of a claim and of a template cannot be changed", async () => {
  await using running = await start()
  await running.apply({
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    metadata: { name: "t", namespace: "default" },
    spec: { spec },
  } as never)
  await expect(running.client.patch(resourceClaims, "default/c", { spec: other })).rejects.toThrow("field is immutable")
  await expect(running.client.patch(resourceClaimTemplates, "default/t", { spec: { spec: other } })).rejects.toThrow("field is immutable")
})

test("an allocation is written once, and removed before there is another", async () => {
  await using running = await start()
  await write(running, { allocation: allocation("gpu-0"), reservedFor })
  await expect(write(running, { allocation: allocation("gpu-1") })).rejects.toThrow("status.allocation: Invalid value")
  await expect(write(running, { reservedFor })).rejects.toThrow(
    "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
  )
  await write(running, {})
  expect((await write(running, { allocation: allocation("gpu-1") })).status?.allocation?.devices?.results?.[0]?.device).toBe("gpu-1")
})

test("a claim that is being deleted gets no further pods", async () => {
  await using running = await start()
  await running.client.patch(resourceClaims, "default/c", { metadata: { finalizers: ["example.com/held"] } })
  await write(running, { allocation: allocation("gpu-0"), reservedFor })
  await running.client.delete(resourceClaims, "default/c")
  const more = [...reservedFor, { resource: "pods", name: "b", uid: "uid-b" }]
  await expect(write(running, { allocation: allocation("gpu-0"), reservedFor: more })).rejects.toThrow("new entries may not be added")
  await write(running, { allocation: allocation("gpu-0") })
})
