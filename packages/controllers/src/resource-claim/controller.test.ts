import { events, pods } from "@pilothouse/api/core/v1"
import { resourceClaims, resourceClaimTemplates } from "@pilothouse/api/resource/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { noting } from "../testing/layers.ts"
import { claimFinalizer } from "./release.ts"
import { allocation, claimOf, fromTemplate, podWith, template } from "./testing/objects.ts"

const only = { controllers: ["resource-claim-controller"], nodes: 0 }

/** Without the uid that the server gives. */
function waiting(name: string) {
  const { uid: _uid, ...metadata } = podWith(name, []).metadata
  return { ...podWith(name, [fromTemplate, { ...fromTemplate, name: "nic" }]), metadata }
}

const names = async (running: Cluster) => (await running.list(resourceClaims)).map(({ metadata }) => metadata.name?.replace(/\w{5}$/, ""))

test("a pod with two entries has two claims, which its status names, with three writes", async () => {
  const writes: string[] = []
  await using running = await cluster({ ...only, layer: noting(writes) })
  await running.apply(template)
  await running.apply(waiting("web"))
  await running.advance("1m")
  expect(await names(running)).toEqual(["web-gpu-", "web-nic-"])
  const { status } = await running.client.get(pods, "default/web")
  const named = (await running.list(resourceClaims)).map(({ metadata }) => metadata.name)
  expect(status?.resourceClaimStatuses?.map(({ resourceClaimName }) => resourceClaimName)).toEqual(named)
  // The scheduler's condition, that there is no node, is beside them.
  const [create, patch] = [
    "POST /apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
    "PATCH /api/v1/namespaces/default/pods/web/status",
  ]
  expect(writes.filter((write) => /resourceclaims|pods\/web\/status/.test(write))).toEqual([create, create, patch, patch])
})

test("a claim that is deleted under its pod comes back", async () => {
  await using running = await cluster(only)
  await running.apply(template)
  await running.apply(waiting("web"))
  await running.advance("1m")
  const [first] = await running.list(resourceClaims)
  await running.client.delete(resourceClaims, first!)
  await running.advance("1m")
  expect(await names(running)).toEqual(["web-gpu-", "web-nic-"])
})

test("a template that comes late is taken at once", async () => {
  await using running = await cluster(only)
  await running.apply(waiting("web"))
  await running.advance("1s")
  expect((await running.list(events)).map(({ reason }) => reason)).toContain("FailedResourceClaimCreation")
  await running.apply(template)
  await running.advance("1s")
  expect(await names(running)).toEqual(["web-gpu-", "web-nic-"])
})

/** A claim that the scheduler allocated and reserved for the pod. */
async function allocate(running: Cluster, pod: string): Promise<void> {
  const [found] = await running.list(resourceClaims)
  const held = await running.client.update(resourceClaims, { ...found!, metadata: { ...found!.metadata, finalizers: [claimFinalizer] } })
  const { uid = "" } = (await running.client.get(pods, `default/${pod}`)).metadata
  await running.client.updateStatus(resourceClaims, {
    ...held,
    status: { allocation, reservedFor: [{ resource: "pods", name: pod, uid }] },
  })
}

test.each<[string, (running: Cluster) => Promise<unknown>]>([
  ["is deleted before it had a node", (running) => running.client.delete(pods, "default/web")],
  ["has finished", (running) => running.client.patch(pods, "default/web", { status: { phase: "Succeeded" } }, { subresource: "status" })],
])("the devices of a pod that %s are free, and its claim goes", async (_how, end) => {
  await using running = await cluster({ ...only, controllers: [...only.controllers, "garbagecollector"] })
  await running.apply(template)
  const one = waiting("web")
  await running.apply({ ...one, spec: { ...one.spec, resourceClaims: [fromTemplate] } })
  await running.advance("1s")
  await allocate(running, "web")
  await running.advance("1m")
  expect((await running.list(resourceClaims))[0]?.status?.reservedFor).toHaveLength(1)
  await end(running)
  await running.advance("2m")
  expect(await names(running)).toEqual([])
})

test("a claim of the user's own is freed, and stays", async () => {
  await using running = await cluster(only)
  const { uid: _uid, ...metadata } = podWith("web", []).metadata
  await running.apply({ ...claimOf(undefined, "shared"), metadata: { name: "shared", namespace: "default" } })
  await running.apply({ ...podWith("web", [{ name: "gpu", resourceClaimName: "shared" }]), metadata })
  await running.advance("1s")
  await allocate(running, "web")
  await running.client.delete(pods, "default/web")
  await running.advance("1m")
  const [claim] = await running.list(resourceClaims)
  expect([claim?.metadata.finalizers, claim?.status]).toEqual([undefined, expect.not.objectContaining({ allocation: expect.anything() })])
})

test("claims are counted by where they come from", async () => {
  const metrics = memoryMetrics()
  await using running = await cluster({ ...only, needs: { metrics } })
  await running.apply(template)
  await running.apply(waiting("web"))
  await running.advance("1m")
  expect(metrics.text()).toContain('resourceclaim_controller_creates_total{admin_access="false",status="success"} 2')
  expect(metrics.text()).toMatch(/^resourceclaim_controller_resource_claims\{.*source="resource_claim_template".*\} 2$/m)
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply(template)
        for (const name of ["a", "b"]) await running.apply(waiting(name))
        await running.advance("30s")
        await allocate(running, "a")
        await running.advance("10s")
        await running.client.delete(pods, "default/a")
        await running.client.delete(resourceClaimTemplates, "default/one-gpu")
        await running.advance("60s")
      },
      end: async (running) => [await names(running), (await running.list(pods)).length],
    },
    { sample: 10, seed: 9, writers: ["resourceclaim-controller", "resourceclaim-release-controller"] },
  )
  expect(report.tried).toBe(10)
})
