import { conflict, serviceUnavailable } from "@pilothouse/api"
import { namespaces, type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { claim } from "../persistent-volume/testing/cluster.ts"
import { podWith } from "../persistent-volume/testing/objects.ts"
import { held, noting, refusing } from "../testing/layers.ts"

type Layer = NonNullable<NonNullable<Parameters<typeof cluster>[0]>["layer"]>

const only = { controllers: ["pvc-protection"] }

async function applied(running: Cluster, ...objects: readonly (PersistentVolumeClaim | Pod)[]): Promise<void> {
  for (const object of objects) await running.apply(object)
  await running.settled()
}

async function deleteClaim(running: Cluster, name = "data"): Promise<void> {
  await running.client.delete(persistentVolumeClaims, `default/${name}`)
  await running.settled()
}

async function names(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(persistentVolumeClaims)).map(({ metadata }) => metadata.name)
}

describe("a claim that is deleted", () => {
  test("is deleted at once when no pod uses it; multiple PVCs of one namespace and of several", async () => {
    await using running = await cluster(only)
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
    await applied(running, claim("a"), claim("b"), claim("c", { metadata: { namespace: "shop" } }))
    expect((await running.list(persistentVolumeClaims)).map(({ metadata }) => metadata.finalizers)).toEqual(
      Array.from({ length: 3 }, () => ["kubernetes.io/pvc-protection"]),
    )
    for (const key of ["default/a", "default/b", "shop/c"]) await running.client.delete(persistentVolumeClaims, key)
    await running.settled()
    expect(await names(running)).toEqual([])
  })

  test("deleted running Pod -> finalizer is removed; mix of deleted PVCs with some used by a pod and some unused", async () => {
    await using running = await cluster(only)
    await applied(running, claim("data"), claim("free"), podWith("web", "data", { node: "node-1" }))
    await deleteClaim(running)
    await deleteClaim(running, "free")
    expect(await names(running)).toEqual(["data"])
    await running.client.delete(pods, "default/web")
    await running.settled()
    expect(await names(running)).toEqual([])
  })

  test("updated running, updated finished Pod -> finalizer is not removed", async () => {
    await using running = await cluster(only)
    await applied(running, claim("data"), podWith("web", "data", { node: "node-1" }))
    await deleteClaim(running)
    await running.client.patch(pods, "default/web", { metadata: { labels: { changed: "yes" } } })
    await running.client.patch(pods, "default/web", { status: { phase: "Succeeded" } }, { subresource: "status" })
    await running.advance("10m")
    expect(await names(running)).toEqual(["data"])
  })

  test("pod with the PVC exists but is not in the Informer's cache yet -> finalizer is not removed", async () => {
    const late = held("pods")
    await using running = await cluster({ controllers: ["pvc-protection"], nodes: 0, layer: late.layer })
    await applied(running, claim("data"))
    late.hold()
    await running.apply(podWith("web", "data", { node: "node-1" }))
    await deleteClaim(running)
    expect(await names(running)).toEqual(["data"])
    late.release()
  })

  test("pod delete and create with same namespaced name seen as an update, old pod used deleted PVC -> finalizer is removed", async () => {
    await using running = await cluster(only)
    await applied(running, claim("data"), claim("other"), podWith("web", "data", { node: "node-1" }))
    await deleteClaim(running)
    await running.client.delete(pods, "default/web", { gracePeriodSeconds: 0 })
    await running.client.create(pods, podWith("web", "other", { node: "node-1" }))
    await running.settled()
    expect(await names(running)).toEqual(["other"])
  })
})

test("the condition Unused follows the pods, with one write for each change", async () => {
  const writes: string[] = []
  await using running = await cluster({ ...only, layer: noting(writes) })
  await applied(running, claim("data"))
  const unused = async () => {
    const { status } = await running.client.get(persistentVolumeClaims, "default/data")
    return status?.conditions?.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`)
  }
  expect(await unused()).toBeUndefined()
  await running.client.patch(persistentVolumeClaims, "default/data", { status: { phase: "Bound" } }, { subresource: "status" })
  await running.settled()
  expect(await unused()).toEqual(["Unused=True NoPodsUsingPVC"])
  await applied(running, podWith("web", "data", { node: "node-1" }))
  expect(await unused()).toEqual(["Unused=False PodUsingPVC"])
  await running.client.delete(pods, "default/web")
  await running.advance("1m")
  expect(await unused()).toEqual(["Unused=True NoPodsUsingPVC"])
  expect(writes.filter((write) => write.includes("persistentvolumeclaims"))).toEqual([
    "PUT /api/v1/namespaces/default/persistentvolumeclaims/data",
    ...Array(3).fill("PUT /api/v1/namespaces/default/persistentvolumeclaims/data/status"),
  ])
})

test("forty claims that are deleted at once share the lists of their namespace's pods", async () => {
  const lists: string[] = []
  /** The server takes a while over it. */
  const slow: Layer = (inner) => async (request) => {
    if (request.path !== "/api/v1/namespaces/default/pods" || request.verb !== "GET") return inner(request)
    lists.push(request.path)
    await running.clock.sleep(50, { name: "a slow list" })
    return inner(request)
  }
  await using running = await cluster({ ...only, layer: slow })
  const claims = Array.from({ length: 40 }, (_, at) => `data-${at}`)
  await applied(running, ...claims.map((name) => claim(name)))
  expect(lists).toEqual([])
  await Promise.all(claims.map((name) => running.client.delete(persistentVolumeClaims, `default/${name}`)))
  await running.advance("1s")
  expect(await names(running)).toEqual([])
  expect(lists.length).toBe(2)
})

describe("faults", () => {
  test("saving PVC finalizer fails, finalizer removal fails -> controller retries", async () => {
    let refusals = 0
    const failing = refusing(({ verb, path }) =>
      verb === "PUT" && path.includes("/persistentvolumeclaims/") && refusals++ % 3 !== 2
        ? conflict({ group: "", plural: "persistentvolumeclaims" }, "data", "another client was quicker")
        : undefined,
    )
    await using running = await cluster({ ...only, layer: failing })
    await applied(running, claim("data"))
    await running.advance("10s")
    await deleteClaim(running)
    await running.advance("10s")
    expect(await names(running)).toEqual([])
  })

  test("pod list fails -> the claim stays, and goes when the list succeeds", async () => {
    let isDown = false
    const failing = refusing(({ verb, path, query }) =>
      isDown && verb === "GET" && path === "/api/v1/namespaces/default/pods" && !("watch" in query)
        ? serviceUnavailable("not now")
        : undefined,
    )
    await using running = await cluster({ ...only, layer: failing })
    await applied(running, claim("data"))
    isDown = true
    await deleteClaim(running)
    await running.advance("1m")
    expect(await names(running)).toEqual(["data"])
    isDown = false
    await running.advance("5m")
    expect(await names(running)).toEqual([])
  })

  test("a vanished namespace", async () => {
    await using running = await cluster({ controllers: ["pvc-protection", "namespace"] })
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
    await applied(running, claim("data", { metadata: { namespace: "shop" } }))
    await running.client.delete(namespaces, "shop")
    await running.advance("2m")
    expect((await running.list(namespaces)).map(({ metadata }) => metadata.name)).not.toContain("shop")
  })

  test("a crash at any call ends the same", async () => {
    const report = await crashPoints(
      {
        cluster: only,
        async run(running) {
          await applied(running, claim("data"), claim("free"), podWith("web", "data", { node: "node-1" }))
          await running.advance("30s")
          for (const name of ["data", "free"]) await running.client.delete(persistentVolumeClaims, `default/${name}`)
          await running.advance("30s")
          await running.client.delete(pods, "default/web")
          await running.advance("60s")
        },
      },
      { sample: 10, seed: 8, writers: ["persistentvolumeclaim-protection-controller"] },
    )
    expect(report.tried).toBe(10)
  })
})
