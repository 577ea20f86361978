import { type KubeObject, methodNotAllowed, notFound, serviceUnavailable } from "@pilothouse/api"
import { type Deployment, deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { configMaps, endpoints, type Namespace, namespaces, type Pod, pods, serviceAccounts, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { type Transport, type TransportRequest, valueBody } from "@pilothouse/seams"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { aPod } from "@pilothouse/testing/builders"
import { describe, expect, test } from "vitest"

const only = { controllers: ["namespace"] }
const held = ["example.com/held"]

function shop(finalizers: readonly string[] = []): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", finalizers } }
}

function configMap(name: string, finalizers: readonly string[] = []) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop", finalizers }, data: { a: "b" } } as const
}

function pod(name: string, finalizers: readonly string[] = []): Pod {
  return aPod(name, { namespace: "shop", finalizers })
}

const deployment: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "a", image: "a" }] } },
  },
}

async function isGone(running: Cluster): Promise<boolean> {
  return !(await running.list(namespaces)).some(({ metadata }) => metadata.name === "shop")
}

async function said(running: Cluster): Promise<readonly string[]> {
  const { status } = await running.client.get(namespaces, "shop")
  return (status?.conditions ?? []).filter((condition) => condition.status === "True").map(({ type, message }) => `${type}: ${message}`)
}

/** A layer that answers some requests itself. */
function refusing(what: (request: TransportRequest) => Error | undefined): (inner: Transport) => Transport {
  return (inner) => (request) => {
    const error = what(request)
    return error === undefined ? inner(request) : Promise.reject(error)
  }
}

describe("a namespace that is deleted", () => {
  test("is emptied after five seconds, and goes; others stay as they are", async () => {
    await using running = await cluster(only)
    await running.apply(shop())
    await running.apply(configMap("one"))
    await running.apply({ ...configMap("two"), metadata: { name: "two", namespace: "default" } })
    await running.apply(pod("web"))
    await running.settled()
    await running.client.delete(namespaces, "shop")
    await running.advance("4900ms")
    expect(await running.list(configMaps, { namespace: "shop" })).toHaveLength(1)
    await running.until(() => isGone(running))
    expect(await running.list(configMaps, { namespace: "shop" })).toEqual([])
    expect(await running.list(configMaps, { namespace: "default" })).toHaveLength(1)
    expect(running.clock.now() % 60_000).toBeLessThan(20_000)
  })

  test.each([
    ["5s", 5100],
    ["0s", 100],
  ])("with a grace of %s is gone after %d ms where what it holds goes at once", async (grace, expected) => {
    await using running = await cluster({ ...only, settings: { "namespace-deletion-grace": grace } })
    await running.apply(shop())
    await running.apply(configMap("one"))
    await running.settled()
    await running.client.delete(namespaces, "shop")
    const asked = running.clock.now()
    await running.until(() => isGone(running))
    expect(running.clock.now() - asked).toBe(expected)
  })

  test("is emptied of its pods first: while one is there nothing else goes, and the status says which", async () => {
    await using running = await cluster(only)
    await running.apply(shop())
    await running.apply(configMap("one"))
    await running.apply(pod("web", held))
    await running.settled()
    await running.client.delete(namespaces, "shop")
    await running.advance("2m")
    expect(await running.list(configMaps, { namespace: "shop" })).toHaveLength(1)
    expect(await said(running)).toEqual([
      "NamespaceContentRemaining: Some resources are remaining: pods. has 1 resource instances",
      "NamespaceFinalizersRemaining: Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances",
    ])
    await running.client.patch(pods, "shop/web", { metadata: { finalizers: null } })
    await running.until(() => isGone(running))
  })

  test("waits for what has a finalizer, and loses nothing but its own entry", async () => {
    await using running = await cluster(only)
    await running.apply(shop())
    await running.apply(configMap("one", held))
    await running.settled()
    await running.client.delete(namespaces, "shop")
    await running.advance("5m")
    expect((await running.client.get(namespaces, "shop")).spec?.finalizers).toEqual(["kubernetes"])
    await running.client.patch(configMaps, "shop/one", { metadata: { finalizers: null } })
    await running.until(() => isGone(running))
  })

  test("with another finalizer stays Terminating when it is empty, and reports it", async () => {
    await using running = await cluster(only)
    await running.client.create(namespaces, { ...shop(), spec: { finalizers: ["kubernetes", "example.com/theirs"] } })
    await running.apply(configMap("one"))
    await running.settled()
    await running.client.delete(namespaces, "shop")
    await running.advance("1m")
    const left = await running.client.get(namespaces, "shop")
    expect(left).toMatchObject({ spec: { finalizers: ["example.com/theirs"] }, status: { phase: "Terminating" } })
    expect(await said(running)).toEqual([
      "NamespaceFinalizersRemaining: The namespace is empty and waits for finalizers of its own: example.com/theirs",
    ])
    expect(await running.list(configMaps, { namespace: "shop" })).toEqual([])
    await running.client.update(namespaces, { ...left, spec: { finalizers: [] } }, { subresource: "finalize" })
    expect(await isGone(running)).toBe(true)
  })
})

test("controllers that keep creating objects in it do not hold it up", async () => {
  const controllers = ["deployment", "replicaset", "endpoints", "endpointslice", "serviceaccount", "namespace"]
  await using running = await cluster({ controllers, nodes: 2 })
  await running.apply(shop())
  await running.apply(deployment)
  await running.apply({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  })
  await running.advance("10s")
  expect(await running.list(pods, { namespace: "shop" })).toHaveLength(2)
  await running.client.delete(namespaces, "shop")
  await running.until(() => isGone(running))
  const kinds = [pods, deployments, replicaSets, services, endpoints, endpointSlices, serviceAccounts]
  for (const kind of kinds) expect(await running.list<KubeObject>(kind, { namespace: "shop" })).toEqual([])
})

describe("bad weather", () => {
  test("one resource that answers 500 holds the namespace and nothing else; it is not requested without backoff", async () => {
    let asked = 0
    let broken = true
    const layer = refusing(({ path, verb }) => {
      if (!broken || verb !== "GET" || !path.endsWith("/namespaces/shop/deployments")) return undefined
      asked++
      return serviceUnavailable("conversion webhook failed")
    })
    await using running = await cluster({ ...only, layer })
    await running.apply(shop())
    await running.apply(configMap("one"))
    await running.apply(deployment)
    await running.settled()
    await running.client.delete(namespaces, "shop")
    await running.advance("10m")
    expect(await running.list(configMaps, { namespace: "shop" })).toEqual([])
    expect((await said(running))[0]).toContain(
      "NamespaceDeletionContentFailure: Failed to delete all resource types, 1 remaining: deployments.apps: conversion webhook failed",
    )
    expect(asked).toBeLessThan(40)
    broken = false
    await running.until(() => isGone(running))
    expect(await running.list(deployments, { namespace: "shop" })).toEqual([])
  })

  test("DeleteEncounters404: a resource that was removed since discovery does not hold it", async () => {
    const gone = notFound({ group: "apps", plural: "deployments" }, "")
    const layer = refusing(({ path }) => (path.endsWith("/namespaces/shop/deployments") ? gone : undefined))
    await using running = await cluster({ ...only, layer })
    await running.apply(shop())
    await running.apply(configMap("one"))
    await running.client.delete(namespaces, "shop")
    await running.until(() => isGone(running))
    expect(await running.list(configMaps, { namespace: "shop" })).toEqual([])
  })

  test("a group that discovery cannot reach holds it too, and the condition names it", async () => {
    await using running = await cluster({ ...only, layer: staleGroup("example.com") })
    await running.apply(shop())
    await running.apply(configMap("one"))
    await running.client.delete(namespaces, "shop")
    await running.advance("1m")
    expect(await running.list(configMaps, { namespace: "shop" })).toEqual([])
    expect((await said(running))[0]).toContain("1 failing: unable to retrieve the complete list of server APIs: example.com/v1: stale")
  })

  test("a server that cannot delete all at once deletes one by one", async () => {
    const layer = refusing(({ path, verb }) =>
      verb === "DELETE" && path.endsWith("/configmaps")
        ? methodNotAllowed({ plural: "configmaps", group: "" }, "deletecollection")
        : undefined,
    )
    await using running = await cluster({ ...only, layer })
    await running.apply(shop())
    await running.apply(configMap("one"))
    await running.apply(configMap("two"))
    await running.client.delete(namespaces, "shop")
    await running.until(() => isGone(running))
  })

  test("RetryOnConflictError: a namespace that a client edits meanwhile is reconciled again", async () => {
    const once: { running?: Cluster } = {}
    let edits = 0
    const layer =
      (inner: Transport): Transport =>
      async (request) => {
        if (request.path.endsWith("/shop/finalize") && edits++ < 2) {
          await once.running?.client.patch(namespaces, "shop", { metadata: { annotations: { edited: String(edits) } } })
        }
        return inner(request)
      }
    await using running = await cluster({ ...only, layer })
    once.running = running
    await running.apply(shop())
    await running.client.delete(namespaces, "shop")
    await running.until(() => isGone(running))
    expect(edits).toBe(3)
  })

  test("a crash at any call ends the same", async () => {
    const report = await crashPoints(
      {
        cluster: only,
        async run(running) {
          await running.apply(shop())
          await running.apply(configMap("one"))
          await running.apply(configMap("two", held))
          await running.apply(pod("web"))
          await running.advance("20s")
          await running.client.delete(namespaces, "shop")
          await running.advance("60s")
          await running.client.patch(configMaps, "shop/two", { metadata: { finalizers: null } })
          await running.advance("60s")
        },
        end: async (running) => ({ gone: await isGone(running), left: await running.list(configMaps, { namespace: "shop" }) }),
      },
      { sample: 10, seed: 5, writers: ["namespace-controller"] },
    )
    expect(report.tried).toBe(10)
  })
})

/** Adds a group to aggregated discovery that has not answered the server lately. */
function staleGroup(name: string): (inner: Transport) => Transport {
  return (inner) => async (request) => {
    const response = await inner(request)
    if (request.path !== "/apis" || response.body.type !== "bytes") return response
    const list = JSON.parse(new TextDecoder().decode(response.body.bytes)) as { readonly items: readonly unknown[] }
    const stale = { metadata: { name }, versions: [{ version: "v1", freshness: "Stale", resources: [] }] }
    return { ...response, body: valueBody({ ...list, items: [...list.items, stale] }) }
  }
}
