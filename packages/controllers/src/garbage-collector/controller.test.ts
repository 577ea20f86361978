import { controllerOf, internalError, type KubeObject, type OwnerReference, ownerRef } from "@pilothouse/api"
import { deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { leases } from "@pilothouse/api/coordination/v1"
import { configMaps, namespaces, nodes, pods, secrets } from "@pilothouse/api/core/v1"
import type { DeleteOptions } from "@pilothouse/runtime"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { doubling, held, noting, refusing } from "../testing/layers.ts"

const options = { controllers: ["deployment", "replicaset", "garbage-collector"], nodes: 2 }
const alone = { controllers: ["garbage-collector"] }

function web(): KubeObject {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } }
  const spec = { replicas: 3, selector: { matchLabels: { app: "web" } }, template }
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec } as KubeObject
}

function config(name: string, ownerReferences: readonly OwnerReference[] = [], finalizers: readonly string[] = []): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default", ownerReferences, finalizers } }
}

function ownedBy(owner: KubeObject, blockOwnerDeletion = false): OwnerReference {
  return { ...ownerRef(owner, configMaps), blockOwnerDeletion }
}

async function rolledOut(running: Cluster): Promise<void> {
  await running.apply(web())
  await running.settled()
  expect(await counts(running)).toEqual([1, 1, 3])
}

async function counts(running: Cluster): Promise<readonly number[]> {
  return [await running.list(deployments), await running.list(replicaSets), await running.list(pods)].map(({ length }) => length)
}

async function names(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(configMaps, { namespace: "default" })
  return all.map(({ metadata }) => metadata.name ?? "").filter((name) => name !== "kube-root-ca.crt")
}

async function remove(running: Cluster, name: string, propagationPolicy: DeleteOptions["propagationPolicy"] = "Background"): Promise<void> {
  await running.client.delete(configMaps, await running.client.get(configMaps, `default/${name}`), { propagationPolicy })
}

async function removeWeb(running: Cluster, propagationPolicy: DeleteOptions["propagationPolicy"]): Promise<void> {
  await running.client.delete(deployments, await running.client.get(deployments, "default/web"), { propagationPolicy })
}

describe("kubectl delete deployment", () => {
  test("in the background: ReplicaSets and pods go after it", async () => {
    await using running = await cluster(options)
    await rolledOut(running)
    await removeWeb(running, "Background")
    expect(await running.list(deployments)).toEqual([])
    await running.advance("1m")
    expect(await counts(running)).toEqual([0, 0, 0])
  })

  test("in the foreground: it goes after them", async () => {
    const writes: string[] = []
    await using running = await cluster({ ...options, layer: noting(writes) })
    await rolledOut(running)
    writes.length = 0
    await removeWeb(running, "Foreground")
    expect(await running.list(deployments)).toHaveLength(1)
    await running.advance("1m")
    expect(await counts(running)).toEqual([0, 0, 0])
    const finalizers = writes.filter((write) => write.startsWith("PATCH") && /deployments|replicasets/.test(write))
    const inOrder = new Set(finalizers.map((write) => (write.includes("deployments") ? "Deployment" : "ReplicaSet")))
    expect([...inOrder]).toEqual(["ReplicaSet", "Deployment"])
  })

  test("as orphan: its ReplicaSet and their pods stay", async () => {
    await using running = await cluster(options)
    await rolledOut(running)
    await removeWeb(running, "Orphan")
    await running.advance("1m")
    expect(await counts(running)).toEqual([0, 1, 3])
    expect((await running.list(replicaSets)).map(controllerOf)).toEqual([undefined])
    expect((await running.list(pods)).every((pod) => controllerOf(pod)?.kind === "ReplicaSet")).toBe(true)
  })
})

describe("owners", () => {
  test("an owner that was recreated under its name does not keep what the first one had", async () => {
    await using running = await cluster(alone)
    const owner = await running.apply(config("owner"))
    await running.apply(config("dependent", [ownedBy(owner)]))
    await running.settled()
    expect(await names(running)).toEqual(["dependent", "owner"])
    await remove(running, "owner")
    await running.apply(config("owner"))
    await running.settled()
    expect(await names(running)).toEqual(["owner"])
  })

  test("what comes with an owner that never was goes at once; with an unknown one, it stays", async () => {
    await using running = await cluster(alone)
    await running.apply(config("lost", [{ apiVersion: "v1", kind: "Secret", name: "never", uid: "uid-never" }]))
    await running.apply(config("custom", [{ apiVersion: "example.com/v1", kind: "Thing", name: "thing", uid: "uid-thing" }]))
    await running.settled()
    expect(await names(running)).toEqual(["custom"])
  })

  test("one of two owners goes: the object stays, with the other", async () => {
    await using running = await cluster(alone)
    const [one, two] = [await running.apply(config("one")), await running.apply(config("two"))]
    await running.apply(config("dependent", [ownedBy(one), ownedBy(two)]))
    await running.settled()
    await remove(running, "one")
    await running.settled()
    const left = await running.client.get(configMaps, "default/dependent")
    expect(left.metadata.ownerReferences?.map(({ name }) => name)).toEqual(["two"])
    await remove(running, "two")
    await running.settled()
    expect(await names(running)).toEqual([])
  })

  test("an owner in another namespace is none", async () => {
    await using running = await cluster(alone)
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "elsewhere" } })
    const owner = await running.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "owner", namespace: "elsewhere" } })
    await running.apply(config("dependent", [ownerRef(owner, secrets)]))
    await running.settled()
    expect(await names(running)).toEqual([])
    expect((await running.list(secrets, { namespace: "elsewhere" })).map(({ metadata }) => metadata.name)).toContain("owner")
  })

  test.each(["Background", "Foreground"] as const)("two that own each other both go (%s)", async (policy) => {
    await using running = await cluster(alone)
    const one = await running.apply(config("one"))
    const two = await running.apply(config("two", [ownedBy(one, true)]))
    await running.apply({ ...config("one", [ownedBy(two, true)]) })
    await running.settled()
    expect(await names(running)).toEqual(["one", "two"])
    await remove(running, "one", policy)
    await running.advance("1m")
    expect(await names(running)).toEqual([])
  })

  test("a node that is deleted takes its Lease along", async () => {
    await using running = await cluster(alone)
    await running.advance("1m")
    const [node] = await running.list(nodes)
    const metadata = { name: "of-node", namespace: "default", ownerReferences: [ownerRef(node!, nodes)] }
    await running.apply({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata })
    await running.settled()
    expect(await running.list(leases, { namespace: "default" })).toHaveLength(1)
    await running.client.delete(nodes, node!)
    await running.settled()
    expect(await running.list(leases, { namespace: "default" })).toEqual([])
  })
})

describe("every kind that the server has", () => {
  /** None of these was ever on a list. */
  const owned: readonly (readonly [kind: string, apiVersion: string, more: object])[] = [
    ["Ingress", "networking.k8s.io/v1", { spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } }],
    ["NetworkPolicy", "networking.k8s.io/v1", { spec: { podSelector: {} } }],
    ["Role", "rbac.authorization.k8s.io/v1", { rules: [] }],
    ["LimitRange", "v1", { spec: { limits: [] } }],
    ["PodTemplate", "v1", { template: { spec: { containers: [{ name: "a", image: "a" }] } } }],
  ]
  test.each(owned)("a %s goes with its owner", async (kind, apiVersion, more) => {
    await using running = await cluster(alone)
    const owner = await running.apply(config("owner"))
    const metadata = { name: "dependent", namespace: "default", ownerReferences: [ownedBy(owner)] }
    const made = await running.apply({ apiVersion, kind, metadata, ...more } as KubeObject)
    await running.settled()
    await remove(running, "owner")
    await running.settled()
    const [of] = await running.client.versionsOf(apiVersion.includes("/") ? apiVersion.split("/")[0]! : "", kind)
    expect(made.metadata.uid).toBeDefined()
    expect((await running.list(of!)).map(({ metadata: { name } }) => name)).not.toContain("dependent")
  })

  test("a namespace may be an owner", async () => {
    await using running = await cluster(alone)
    const namespace = await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "owner" } })
    await running.apply(config("dependent", [ownerRef(namespace, namespaces)]))
    await running.settled()
    expect(await names(running)).toEqual(["dependent"])
    await running.client.delete(namespaces, "owner")
    await running.client.update(namespaces, { ...namespace, metadata: { name: "owner" }, spec: { finalizers: [] } } as KubeObject, {
      subresource: "finalize",
    })
    await running.settled()
    expect(await names(running)).toEqual([])
  })

  test("GarbageCollectorSync: one group that answers 500 blocks nothing", async () => {
    let asked = 0
    const layer = refusing(({ path, verb }) => {
      if (verb !== "GET" || !path.startsWith("/apis/networking.k8s.io/v1/")) return undefined
      asked++
      return internalError("conversion webhook failed")
    })
    await using running = await cluster({ ...alone, layer })
    const owner = await running.apply(config("owner"))
    await running.apply(config("dependent", [ownedBy(owner)]))
    await running.advance("35s")
    await remove(running, "owner")
    await running.settled()
    expect(await names(running)).toEqual([])
    await running.advance("10m")
    expect(asked).toBeLessThan(300)
  })

  test("AbsentOwnerCache: fifty dependents of one owner that is gone do not ask fifty times", async () => {
    let asked = 0
    const layer = refusing(({ path, verb }) => {
      if (verb === "GET" && path.endsWith("/configmaps/owner")) asked++
      return undefined
    })
    await using running = await cluster({ ...alone, layer })
    const owner = await running.apply(config("owner"))
    for (let at = 0; at < 50; at++) await running.apply(config(`dependent-${at}`, [ownedBy(owner)]))
    await running.settled()
    await remove(running, "owner")
    await running.settled()
    expect(await names(running)).toEqual([])
    expect(asked).toBe(1)
  })
})

describe("what goes wrong", () => {
  test("a dependent that was orphaned is not deleted, though the cache does not know yet", async () => {
    const late = held("configmaps")
    await using running = await cluster({ ...alone, layer: late.layer })
    const owner = await running.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "owner", namespace: "default" } })
    const dependent = await running.apply(config("dependent", [ownerRef(owner, secrets)]))
    await running.settled()
    late.hold()
    await running.client.patch(configMaps, dependent, { metadata: { ownerReferences: null } })
    await running.client.delete(secrets, owner)
    await running.advance("10s")
    expect(await names(running)).toEqual(["dependent"])
    late.release()
    await running.advance("1m")
    expect(await names(running)).toEqual(["dependent"])
  })

  test("an owner that the cache does not show yet keeps its dependents (late observed parent)", async () => {
    const late = held("secrets")
    await using running = await cluster({ ...alone, layer: late.layer })
    await running.settled()
    late.hold()
    const owner = await running.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "owner", namespace: "default" } })
    await running.apply(config("dependent", [ownerRef(owner, secrets)]))
    await running.advance("20s")
    expect(await names(running)).toEqual(["dependent"])
    await running.client.delete(secrets, owner)
    await running.advance("1m")
    expect(await names(running)).toEqual([])
    late.release()
  })

  test("events that come twice change nothing", async () => {
    await using running = await cluster({ ...options, layer: doubling() })
    await rolledOut(running)
    await removeWeb(running, "Foreground")
    await running.advance("1m")
    expect(await counts(running)).toEqual([0, 0, 0])
  })

  test("owners that were deleted while no controller ran are noticed at the start", async () => {
    const late = held("secrets")
    await using running = await cluster({ ...alone, layer: late.layer })
    const owner = await running.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "owner", namespace: "default" } })
    await running.apply(config("dependent", [ownerRef(owner, secrets)]))
    await running.settled()
    late.hold()
    await running.client.delete(secrets, owner)
    await running.settled()
    expect(await names(running)).toEqual(["dependent"])
    await running.restartControllers()
    late.release()
    await running.settled()
    expect(await names(running)).toEqual([])
  })

  test.each(["Background", "Foreground", "Orphan"] as const)(
    "whichever API call the controllers crash at, the end is the same (%s)",
    async (policy) => {
      const scenario = {
        cluster: options,
        async run(running: Cluster) {
          await running.apply(web())
          await running.advance("20s")
          await removeWeb(running, policy)
          await running.advance("2m")
        },
        end: counts,
      }
      expect(await crashPoints(scenario, { sample: 10, seed: 7, writers: ["garbage-collector-controller"] })).toMatchObject({ tried: 10 })
    },
  )
})
