import { type CustomResourceDefinition, customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { secrets } from "@pilothouse/api/core/v1"
import { type StorageVersionMigration, storageVersionMigrations } from "@pilothouse/api/storagemigration/v1beta1"
import { webhook } from "@pilothouse/runtime"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"

const only: ClusterOptions = {
  nodes: 0,
  enabledVersions: ["storagemigration.k8s.io/v1beta1"],
  controllers: ["storage-version-migrator-controller"],
}

const descriptor = { group: "example.com", plural: "boxes", singular: "box", kind: "Box", namespaced: true, shortNames: [], categories: [] }
const boxes = (version: string) => ({ ...descriptor, version, verbs: [], subresources: {} }) as never

function definition(storage: "v1" | "v2"): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } as const
  const version = (name: string) => ({ name, served: true, storage: name === storage, schema })
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "boxes.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "boxes", kind: "Box" },
      versions: [version("v1"), version("v2")],
    },
  }
}

function migration(name: string, resource: string, group = ""): StorageVersionMigration {
  return {
    apiVersion: "storagemigration.k8s.io/v1beta1",
    kind: "StorageVersionMigration",
    metadata: { name },
    spec: { resource: { group, resource } },
  }
}

const box = (name: string) => ({ apiVersion: "example.com/v1", kind: "Box", metadata: { name, namespace: "default" }, spec: { size: 1 } })

async function conditions(c: Cluster, name: string): Promise<Readonly<Record<string, string>>> {
  const { status } = await c.client.get(storageVersionMigrations, name)
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]))
}

const ended = { Running: "False MigrationCompleted", Succeeded: "True StorageVersionMigrationSucceeded" }

describe("a StorageVersionMigration", () => {
  test("of a custom resource stores its objects in the storage version, and takes the others off its definition", async () => {
    await using c = await cluster({ ...only, crds: [definition("v1")] })
    await c.apply([box("a"), box("b")])
    const before = await c.list(boxes("v1"))
    await c.client.patch(customResourceDefinitions, definition("v1"), { spec: { versions: definition("v2").spec.versions } })
    await c.settled()
    expect((await c.client.get(customResourceDefinitions, "boxes.example.com")).status?.storedVersions).toEqual(["v1", "v2"])
    await c.apply(migration("m", "boxes", "example.com"))
    await c.advance("10s")
    expect(await conditions(c, "m")).toEqual(ended)
    const after = await c.list(boxes("v1"))
    expect(after.map(({ metadata }) => metadata.name)).toEqual(["a", "b"])
    for (const [at, { metadata }] of after.entries()) {
      expect(metadata.resourceVersion).not.toBe(before[at]!.metadata.resourceVersion)
      expect(metadata.uid).toBe(before[at]!.metadata.uid)
    }
    const { status } = await c.client.get(customResourceDefinitions, "boxes.example.com")
    expect(status?.storedVersions).toEqual(["v2"])
    expect(status?.conditions?.find(({ type }) => type === "StorageMigrating")).toMatchObject({
      status: "False",
      reason: "MigrationSucceeded",
      message: "The migration has succeeded and the stored versions have been updated",
    })
  })

  test("of objects that are stored as they should be writes none", async () => {
    await using c = await cluster(only)
    const made = await c.client.create(secrets, { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "default" } })
    await c.apply(migration("m", "secrets"))
    await c.advance("10s")
    expect(await conditions(c, "m")).toEqual(ended)
    expect((await c.client.get(secrets, "default/s")).metadata.resourceVersion).toBe(made.metadata.resourceVersion)
  })

  test("waits for another one of the same resource, and not for those of others", async () => {
    await using c = await cluster({ ...only, crds: [definition("v1")] })
    await c.apply([migration("b", "boxes", "example.com"), migration("a", "boxes", "example.com"), migration("c", "secrets")])
    await c.advance("20s")
    for (const name of ["a", "b", "c"]) expect(await conditions(c, name), name).toEqual(ended)
    const both = await Promise.all(["a", "b"].map((name) => c.client.get(storageVersionMigrations, name)))
    const [first, second] = both.toSorted((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion))
    // The second one began when the last write of the first was done.
    expect(Number(second!.status?.resourceVersion)).toBeGreaterThanOrEqual(Number(first!.metadata.resourceVersion))
  })

  test("of an unknown resource fails after a minute, in which discovery may come to know it", async () => {
    await using c = await cluster(only)
    await c.apply(migration("m", "lorries", "example.com"))
    await c.advance("50s")
    expect(await conditions(c, "m")).toEqual({ Running: "True MigrationRunning" })
    await c.advance("30s")
    expect(await conditions(c, "m")).toEqual({ Running: "False MigrationCompleted", Failed: "True StorageVersionMigrationFailed" })
    const { status } = await c.client.get(storageVersionMigrations, "m")
    expect(status?.conditions?.find(({ type }) => type === "Failed")?.message).toBe("resource does not exist in discovery")
  })

  test("of a resource that cannot be patched fails, and says which verbs it needs", async () => {
    await using c = await cluster(only)
    await c.apply(migration("m", "tokenreviews", "authentication.k8s.io"))
    await c.advance("10s")
    const { status } = await c.client.get(storageVersionMigrations, "m")
    expect(status?.conditions?.find(({ type }) => type === "Failed")?.message).toBe(
      'resource "authentication.k8s.io/v1, Resource=tokenreviews" does not support discovery operations: [update patch list]',
    )
  })

  test("that an admission webhook refuses fails with its words", async () => {
    const refuses = webhook("refuses.web.example.com", { of: secrets, operations: ["UPDATE"], validate: () => "not this one" })
    await using c = await cluster({ ...only, webhooks: [refuses] })
    await c.client.create(secrets, { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "default" } })
    await c.apply(migration("m", "secrets"))
    await c.advance("10s")
    const { status } = await c.client.get(storageVersionMigrations, "m")
    expect(status?.conditions?.find(({ type }) => type === "Failed")?.message).toContain("not this one")
  })

  test("leaves the stored versions as they are where the definition changes meanwhile", async () => {
    let change: (() => Promise<unknown>) | undefined
    const layer: ClusterOptions["layer"] = (transport) => async (request) => {
      const answered = await transport(request)
      if (request.path.endsWith("/storageversionmigrations/m/status")) {
        const due = change
        change = undefined
        await due?.()
      }
      return answered
    }
    await using c = await cluster({ ...only, crds: [definition("v2")], layer })
    change = () => c.client.patch(customResourceDefinitions, definition("v2"), { spec: { versions: definition("v1").spec.versions } })
    await c.apply(migration("m", "boxes", "example.com"))
    await c.advance("20s")
    expect(await conditions(c, "m")).toEqual(ended)
    const { status } = await c.client.get(customResourceDefinitions, "boxes.example.com")
    expect(status?.storedVersions).toEqual(["v2", "v1"])
    expect(status?.conditions?.find(({ type }) => type === "StorageMigrating")?.message).toBe(
      "The migration has succeeded but the stored versions have not been updated due to a generation mismatch",
    )
  })
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: { ...only, crds: [definition("v1")] },
      async run(running) {
        await running.apply([box("a"), box("b")])
        await running.client.patch(customResourceDefinitions, definition("v1"), { spec: { versions: definition("v2").spec.versions } })
        await running.apply(migration("m", "boxes", "example.com"))
        await running.advance("60s")
      },
    },
    { sample: 6, seed: 3, writers: ["storage-version-migrator-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
