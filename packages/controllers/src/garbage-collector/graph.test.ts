import type { KubeObject, OwnerReference } from "@pilothouse/api"
import { configMaps } from "@pilothouse/api/core/v1"
import { createClient, Informer } from "@pilothouse/runtime"
import { type Frame, seededRandom, silentLog, type Transport, VirtualClock, valueBody } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { noting } from "../testing/layers.ts"
import { dependentsByOwner, objectsByUid } from "./indexes.ts"

/** What a watch tells: an object by its uid, and the uids of its owners. */
type Told = readonly ["ADDED" | "MODIFIED" | "DELETED", string, readonly string[]]

const chain: readonly Told[] = [
  ["ADDED", "root", []],
  ["ADDED", "middle", ["root"]],
  ["ADDED", "leaf", ["root", "middle"]],
]

const scenarios: readonly (readonly [string, readonly Told[]])[] = [
  ["owners come before what they own", chain],
  ["one in the middle goes", [...chain, ["ADDED", "twig", ["middle"]], ["DELETED", "middle", ["removed owner"]]]],
  ["an owner becomes owned by what it owns", [...chain, ["ADDED", "twig", ["leaf"]], ["MODIFIED", "middle", ["twig"]]]],
  [
    "dependents come before their owners, and one in the middle goes",
    [["ADDED", "twig", ["middle"]], ...chain.toReversed(), ["DELETED", "middle", ["removed owner"]]],
  ],
  [
    "an owner that is never observed",
    [
      ["ADDED", "leaf", ["never", "never"]],
      ["MODIFIED", "leaf", []],
      ["DELETED", "leaf", []],
    ],
  ],
]

function objectOf(uid: string, owners: readonly string[], version: number): KubeObject {
  const ownerReferences = owners.map((owner) => ({ apiVersion: "v1", kind: "ConfigMap", name: owner, uid: owner }))
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: uid, namespace: "default", uid, resourceVersion: `${version}`, ownerReferences },
  }
}

/** A server that has nothing at first, and whose watch sends the events one after the other, each when the gate before it opens. */
function telling(events: readonly Told[], gates: readonly Promise<void>[]): Transport {
  async function* frames(signal: AbortSignal | undefined): AsyncGenerator<Frame> {
    for (const [at, [type, uid, owners]] of events.entries()) {
      await gates[at]
      yield valueBody({ type, object: objectOf(uid, owners, at + 2) })
    }
    await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()))
  }
  const none = valueBody({ apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "1" }, items: [] })
  return async ({ query, signal }) => {
    const watches = "watch" in query
    return { status: 200, headers: {}, body: watches ? { type: "stream", frames: frames(signal) } : none }
  }
}

/** Who owns whom after so many events: "root <- leaf", without what is gone. */
function edgesOf(events: readonly Told[]): readonly string[] {
  const owners = new Map<string, readonly string[]>()
  for (const [type, uid, of] of events) {
    if (type === "DELETED") owners.delete(uid)
    else owners.set(uid, of)
  }
  return [...owners].flatMap(([uid, of]) => [...new Set(of)].map((owner) => `${owner} <- ${uid}`)).sort()
}

/** The graph of upstream is here the index by owner of each cache: there is no second picture that could differ from the caches. */
describe("ProcessEvent: after every event the index says who owns whom, and nothing else", () => {
  test.each(scenarios)("%s", async (_name, events) => {
    const clock = new VirtualClock()
    const gates = events.map(() => Promise.withResolvers<void>())
    const client = createClient(
      telling(
        events,
        gates.map(({ promise }) => promise),
      ),
    )
    const informer = new Informer<KubeObject>({ of: configMaps, client, clock, random: seededRandom(1), log: silentLog, streams: false })
    const [byOwner, byUid] = [dependentsByOwner(configMaps), objectsByUid(configMaps)]
    for (const index of [byOwner, byUid]) informer.addIndex(index)
    const stopping = new AbortController()
    const running = informer.run(stopping.signal)
    for (const at of events.keys()) {
      gates[at]!.resolve()
      await clock.settle()
      const { store } = informer
      const edges = store
        .indexValues(byOwner)
        .flatMap((owner) => store.byIndex(byOwner, owner).map(({ metadata }) => `${owner} <- ${metadata.uid}`))
      expect(edges.sort()).toEqual(edgesOf(events.slice(0, at + 1)))
      expect(store.indexValues(byUid).toSorted()).toEqual(
        store
          .list()
          .map(({ metadata }) => metadata.uid)
          .sort(),
      )
    }
    stopping.abort()
    await clock.run(running)
  })
})

test("DependentsRace: dependents that come and go while their owner lets them go: no write fails, and nothing refers to it any more", async () => {
  const writes: string[] = []
  const failed: number[] = []
  const layer = (inner: Transport): Transport => {
    const noted = noting(writes)(inner)
    return async (request) => {
      const response = await noted(request)
      if (request.verb !== "GET" && response.status >= 400 && response.status !== 409) failed.push(response.status)
      return response
    }
  }
  await using running = await cluster({ controllers: ["garbage-collector"], layer })
  const config = (name: string, ownerReferences: readonly OwnerReference[] = []) =>
    ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default", ownerReferences } }) as KubeObject
  const { metadata } = await running.apply(config("owner"))
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid ?? "" }
  for (let at = 0; at < 100; at++) await running.apply(config(`dependent-${at}`, at % 2 === 0 ? [reference] : []))
  await running.settled()
  // All at once, and none waits for the controller: half of them leave, the others join, while the owner goes as orphan.
  const changes = Array.from({ length: 100 }, (_, at) => {
    const patch = { metadata: { ownerReferences: at % 2 === 0 ? [] : [reference] } }
    return running.client.patch(configMaps, `default/dependent-${at}`, patch)
  })
  const deletion = running.client.delete(configMaps, "default/owner", { propagationPolicy: "Orphan" })
  await running.settled()
  await Promise.all([...changes, deletion])
  await running.advance("1m")
  const left = (await running.list(configMaps, { namespace: "default" })).filter(({ metadata: { name } }) => name !== "kube-root-ca.crt")
  expect(left).toHaveLength(100)
  expect(left.filter((object) => (object.metadata.ownerReferences ?? []).length > 0)).toEqual([])
  expect(failed).toEqual([])
  expect(writes.filter((write) => write.startsWith("DELETE"))).toEqual([])
})
