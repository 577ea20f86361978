import { AppsV1Api, CoordinationV1Api, CoreV1Api, type KubernetesObject, makeInformer, Watch } from "@kubernetes/client-node"
import { type KubeObject, keyOf } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import { type ConfigMap, configMaps, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Change, Informers, type WatchEvent } from "@pilothouse/runtime"
import { seededRandom, silentLog } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type ServedCluster, servedCluster } from "./served-cluster.ts"

// @kubernetes/client-node as an outside judge: what it reads from a server is what we read from it.

let cluster: ServedCluster
beforeAll(async () => {
  cluster = await servedCluster()
})
afterAll(() => cluster[Symbol.asyncDispose]())

function configMap(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default", labels }, data }
}

function pod(name: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { containers: [{ name: "c", image: "web:1", resources: { requests: { cpu: "100m" } } }] },
  }
}

/** Its lists give Dates and leave fields undefined; its watches give JSON. Ours give JSON always. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, inner) =>
    typeof inner === "string" ? inner.replace(/^(\d{4}-\d\d-\d\dT[\d:]{8})\.000Z$/, "$1Z") : inner,
  )
}

/** Items of its lists carry no type, as on the wire. */
function untyped({ apiVersion: _, kind: __, ...rest }: KubeObject): unknown {
  return rest
}

/** Ours drop managedFields on their way into a cache. */
function unmanaged(object: KubernetesObject | KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata ?? {}
  return { ...(asJson(object) as KubeObject), metadata: asJson(metadata) as KubeObject["metadata"] }
}

describe("lists", () => {
  test("of pods: the same objects", async () => {
    for (const name of ["a", "b", "c"]) await cluster.ours.create(pods, pod(name))
    const ours = await cluster.ours.list(pods, { namespace: "default" })
    const theirs = await cluster.theirs.makeApiClient(CoreV1Api).listNamespacedPod({ namespace: "default" })
    expect(ours.items.map(untyped)).toEqual(asJson(theirs.items))
    expect(ours.items).toHaveLength(3)
    expect(ours.resourceVersion).toBe(theirs.metadata?.resourceVersion)
  })

  test("with selectors, and page by page", async () => {
    for (let at = 0; at < 7; at++)
      await cluster.ours.create(configMaps, configMap(`page-${at}`, { at: `${at}` }, { part: at % 2 ? "odd" : "even" }))
    const core = cluster.theirs.makeApiClient(CoreV1Api)
    const selection = { namespace: "default", labelSelector: "part=even", limit: 2 }
    const ours = await Array.fromAsync(cluster.ours.listAll(configMaps, selection))
    const theirs: unknown[] = []
    for (let next: string | undefined = ""; next !== undefined; ) {
      const page = await core.listNamespacedConfigMap({ ...selection, _continue: next || undefined })
      theirs.push(...page.items)
      next = page.metadata?._continue || undefined
    }
    expect(ours.map(untyped)).toEqual(asJson(theirs))
    expect(ours).toHaveLength(4)
  })

  test("what it writes is what we read, and the other way round", async () => {
    const apps = cluster.theirs.makeApiClient(AppsV1Api)
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "web:1" }] } }
    const body = { metadata: { name: "web" }, spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template } }
    const written = await apps.createNamespacedDeployment({ namespace: "default", body })
    const read = await cluster.ours.get(deployments, "default/web")
    expect(read).toEqual(asJson(written))
    const patched = await cluster.ours.patch(deployments, read, { spec: { replicas: 3 } })
    expect(asJson(await apps.readNamespacedDeployment({ namespace: "default", name: "web" }))).toEqual(patched)
  })
})

describe("watches", () => {
  test("from one resourceVersion: the same events in the same order", async () => {
    const { resourceVersion } = await cluster.ours.list(configMaps, { namespace: "default" })
    await changeAll("seen")
    const ours: WatchEvent<ConfigMap>[] = []
    for await (const event of await cluster.ours.watch(configMaps, { namespace: "default", resourceVersion })) {
      ours.push(event)
      if (isLast(event.object as KubeObject, "seen")) break
    }
    const theirs = await eventsUntilLast(resourceVersion, "seen")
    expect(ours.map(({ type, object }) => ({ type, object }))).toEqual(theirs)
    expect(theirs.map(({ type }) => type)).toEqual(["ADDED", "ADDED", "MODIFIED", "DELETED", "ADDED", "ADDED"])
  })

  test("a time is the same text from get, list and watch; the judge's list gives a Date for it", async () => {
    const { resourceVersion } = await cluster.ours.list(leases, { namespace: "default" })
    const renewTime = "2026-01-05T12:00:00.123456Z"
    const lease: Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "times", namespace: "default" },
      spec: { renewTime },
    }
    const written = await cluster.ours.create(leases, lease)
    const [listed] = (await cluster.ours.list(leases, { namespace: "default" })).items
    expect([await cluster.ours.get(leases, "default/times"), listed]).toEqual([written, written])
    for await (const event of await cluster.ours.watch(leases, { namespace: "default", resourceVersion })) {
      expect(event).toEqual({ type: "ADDED", object: written })
      break
    }
    expect([typeof written.metadata.creationTimestamp, written.spec?.renewTime]).toEqual(["string", renewTime])
    const theirs = await cluster.theirs.makeApiClient(CoordinationV1Api).listNamespacedLease({ namespace: "default" })
    expect(theirs.items[0]?.metadata?.creationTimestamp).toBeInstanceOf(Date)
  })

  test("U+2028 inside a string, at which the judge cuts lines and loses the event, is data to us", async () => {
    const { resourceVersion } = await cluster.ours.list(configMaps, { namespace: "default" })
    const written = await cluster.ours.create(configMaps, configMap("separators", { text: "one\u2028two\u2029three" }))
    for await (const event of await cluster.ours.watch(configMaps, { namespace: "default", resourceVersion })) {
      expect(event).toEqual({ type: "ADDED", object: written })
      break
    }
  })

  test("informers: the same objects, told in the same order, and the server's own at the end", async () => {
    const core = cluster.theirs.makeApiClient(CoreV1Api)
    const [ours, theirs]: [string[], string[]] = [[], []]
    const [oursDone, theirsDone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const seams = { clock: systemClock, random: seededRandom(1), log: silentLog }
    const informers = new Informers({ ...seams, client: cluster.ours })
    const informer = informers.of(configMaps, { namespace: "default" })
    informer.addHandler((change: Change<ConfigMap>) => {
      if (change.object.metadata.name?.startsWith("told"))
        ours.push(`${change.type} ${keyOf(change.object)} ${change.object.metadata.resourceVersion}`)
      if (isLast(change.object, "told")) oursDone.resolve()
    })
    const judge = makeInformer(cluster.theirs, "/api/v1/namespaces/default/configmaps", () =>
      core.listNamespacedConfigMap({ namespace: "default" }),
    )
    for (const [verb, type] of [
      ["add", "added"],
      ["update", "updated"],
      ["delete", "deleted"],
    ] as const) {
      judge.on(verb, (object) => {
        if (object.metadata?.name?.startsWith("told"))
          theirs.push(`${type} default/${object.metadata.name} ${object.metadata.resourceVersion}`)
        if (isLast(object as KubeObject, "told")) theirsDone.resolve()
      })
    }
    const stopping = new AbortController()
    const running = informers.run(stopping.signal)
    await Promise.all([judge.start(), informer.synced(stopping.signal)])
    await changeAll("told")
    await Promise.all([oursDone.promise, theirsDone.promise])
    const { items } = await cluster.ours.list(configMaps, { namespace: "default" })
    const truth = items.map(unmanaged)
    expect(ours).toEqual(theirs)
    expect(informer.store.list().map(unmanaged).sort(byName)).toEqual(truth.sort(byName))
    expect(
      judge
        .list()
        .map((object) => ({ ...unmanaged(object), apiVersion: "v1", kind: "ConfigMap" }))
        .sort(byName),
    ).toEqual(truth.sort(byName))
    await judge.stop()
    stopping.abort()
    await running
  })
})

function byName(one: KubeObject, other: KubeObject): number {
  return keyOf(one) < keyOf(other) ? -1 : 1
}

/** Creates, changes, deletes and creates again; the last one says that it is. */
async function changeAll(prefix: string): Promise<void> {
  const { ours } = cluster
  await ours.create(configMaps, configMap(`${prefix}-a`, { text: "a line\nanother, with ünïcode" }))
  await ours.create(configMaps, configMap(`${prefix}-b`))
  await ours.patch(configMaps, `default/${prefix}-a`, { data: { more: "1" } })
  await ours.delete(configMaps, `default/${prefix}-b`)
  await ours.create(configMaps, configMap(`${prefix}-b`, { again: "yes" }))
  await ours.create(configMaps, configMap(`${prefix}-last`))
}

function isLast({ metadata }: KubeObject, prefix: string): boolean {
  return metadata.name === `${prefix}-last`
}

async function eventsUntilLast(resourceVersion: string, prefix: string): Promise<readonly { type: string; object: KubeObject }[]> {
  const events: { type: string; object: KubeObject }[] = []
  const done = Promise.withResolvers<void>()
  const path = "/api/v1/namespaces/default/configmaps"
  const request = await new Watch(cluster.theirs).watch(
    path,
    { resourceVersion },
    (type, object: KubeObject) => {
      events.push({ type, object })
      if (isLast(object, prefix)) done.resolve()
    },
    (error) => (events.length === 0 ? done.reject(error) : undefined),
  )
  await done.promise
  request.abort()
  return events
}
