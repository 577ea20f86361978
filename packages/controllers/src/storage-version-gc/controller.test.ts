import { type StorageVersion, storageVersions } from "@pilothouse/api/apiserverinternal/v1alpha1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { decide } from "./controller.ts"
import { identityLease, internalVersion, removeLease, statusOf, storedBy } from "./testing/objects.ts"

const name = "storageversion-garbage-collector-controller"
const only = { nodes: 0, controllers: [name], enabledVersions: [internalVersion] }
const now = Date.UTC(2026, 0, 10)

/** "server=version …, common version, condition" of each that is there. */
async function shown(running: Cluster): Promise<readonly string[]> {
  await running.settled()
  return (await running.list(storageVersions)).map(({ status }) => {
    const servers = (status?.storageVersions ?? []).map(({ apiServerID, encodingVersion }) => `${apiServerID}=${encodingVersion}`)
    const [condition] = status?.conditions ?? []
    return `${servers.join(" ")}, ${status?.commonEncodingVersion}, ${condition?.status} ${condition?.reason}`
  })
}

async function stage(rbac = false): Promise<Cluster> {
  const running = await cluster({ ...only, rbac })
  for (const server of ["one", "two", "three"]) await running.apply(identityLease(server))
  return running
}

test("the entry of an API server whose Lease is gone goes, and the others agree on a version", async () => {
  await using running = await stage(true)
  await storedBy(running, "apps.deployments", { one: "apps/v1", two: "apps/v1beta1", three: "apps/v1" })
  await running.settled()
  await removeLease(running, "two")
  expect(await shown(running)).toEqual(["one=apps/v1 three=apps/v1, apps/v1, True CommonEncodingVersionSet"])
})

test("where the others differ there is no common version", async () => {
  await using running = await stage()
  await storedBy(running, "apps.deployments", { one: "apps/v1", two: "apps/v1", three: "apps/v1beta1" })
  await running.settled()
  await removeLease(running, "one")
  expect(await shown(running)).toEqual(["two=apps/v1 three=apps/v1beta1, undefined, False CommonEncodingVersionUnset"])
})

test("an entry of a server that never had a Lease goes, and one whose Lease is of another component", async () => {
  await using running = await stage()
  await running.apply({ ...identityLease("other"), metadata: { name: "other", namespace: "kube-system" } })
  await storedBy(running, "apps.deployments", { one: "apps/v1", gone: "apps/v1", other: "apps/v1" })
  expect(await shown(running)).toEqual(["one=apps/v1, apps/v1, True CommonEncodingVersionSet"])
})

test("a StorageVersion goes with its last API server", async () => {
  await using running = await stage()
  await storedBy(running, "apps.deployments", { one: "apps/v1" })
  expect(await shown(running)).toEqual(["one=apps/v1, apps/v1, undefined undefined"])
  await removeLease(running, "one")
  expect(await shown(running)).toEqual([])
})

test.each<[what: string, before: string, after: string, moved: boolean]>([
  ["another common version", "v1", "v2", true],
  ["the same common version", "v1", "v1", false],
])("%s moves the time of the condition: %s → %s", (_what, before, after, moved) => {
  const lastTransitionTime = "2025-01-01T00:00:00Z"
  const old = { type: "AllEncodingVersionsEqual", status: "True", reason: "CommonEncodingVersionSet", message: "", lastTransitionTime }
  const status = { ...statusOf({ left: after, gone: before }), commonEncodingVersion: before, conditions: [old] }
  const version: StorageVersion = { apiVersion: internalVersion, kind: "StorageVersion", metadata: { name: "a.b" }, status }
  const [operation] = decide({ version, gone: new Set(["gone"]) }, now).steps.flatMap(({ operations }) => operations)
  const written = operation?.do === "status" && "status" in operation ? (operation.status as StorageVersion["status"]) : undefined
  expect(written?.conditions?.[0]?.lastTransitionTime !== lastTransitionTime).toBe(moved)
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        for (const server of ["one", "two"]) await running.apply(identityLease(server))
        await storedBy(running, "apps.deployments", { one: "apps/v1", two: "apps/v1" })
        await storedBy(running, "batch.jobs", { two: "batch/v1" })
        await running.advance("10s")
        await removeLease(running, "two")
        await running.advance("30s")
      },
    },
    { sample: 6, seed: 3, writers: ["storageversion-garbage-collector-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
