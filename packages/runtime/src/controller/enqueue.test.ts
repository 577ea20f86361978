import { type KubeObject, keyOf } from "@pilothouse/api"
import { replicaSets } from "@pilothouse/api/apps/v1"
import { type ConfigMap, configMaps, type Pod, pods, secrets } from "@pilothouse/api/core/v1"
import { scriptedTransport } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import type { Change } from "../cache/store.ts"
import { testManager } from "../manager/testing/manager.ts"
import { watch } from "./caches/watch.ts"
import { cacheObserver, controller } from "./controller.ts"
import { plan } from "./plan/plan-builder.ts"
import { configMap, configMapController, inDefault } from "./testing/config-map-controller.ts"

describe("what enqueues a key", () => {
  test("a change of the object itself", async () => {
    await using running = await testManager([configMapController()])
    await running.server.apply(configMap("a"))
    await running.server.settled()
    await running.server.apply(configMap("a", { x: "1" }))
    await running.server.settled()
    await running.server.client.delete(configMaps, "default/a")
    await running.server.settled()
    expect(inDefault(running.reconciles())).toEqual([
      "default/a: ConfigMap added",
      "default/a: ConfigMap updated",
      "default/a: ConfigMap deleted",
    ])
  })

  test("a change of what it controls, and not of what another kind of that name controls", async () => {
    const owner = (kind: string, apiVersion: string, name: string) => [{ apiVersion, kind, name, uid: `${name}-uid`, controller: true }]
    const pod = (name: string, ownerReferences: Pod["metadata"]["ownerReferences"]): Pod => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", ownerReferences },
      spec: { containers: [{ name: "c", image: "i" }] },
    })
    const sets = controller("sets", { for: replicaSets, owns: [pods], observe: () => undefined, decide: () => plan() })
    await using running = await testManager([sets])
    await running.server.apply(pod("mine", owner("ReplicaSet", "apps/v1", "web")))
    await running.server.apply(pod("old", owner("ReplicaSet", "apps/v1beta2", "db")))
    await running.server.apply(pod("other", owner("ReplicaSet", "example.com/v1", "web")))
    await running.server.apply(pod("nobodys", []))
    await running.server.settled()
    expect([...new Set(running.reconciles())].filter((look) => look.endsWith("added"))).toEqual([
      "default/web: Pod mine added",
      "default/db: Pod old added",
    ])
  })

  test("what its mapping says of a change, of the object before and after", async () => {
    const named = (object: KubeObject) => (object.metadata.labels?.for === undefined ? [] : [`default/${object.metadata.labels.for}`])
    const secret = (value: string) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default", labels: { for: value } },
    })
    await using running = await testManager([configMapController({ watches: [watch(secrets, "its secret changed", named)] })])
    await running.server.apply(secret("a"))
    await running.server.settled()
    await running.server.apply(secret("b"))
    await running.server.settled()
    expect(inDefault(running.reconciles())).toEqual([
      "default/a: its secret changed",
      "default/a: its secret changed",
      "default/b: its secret changed",
    ])
  })

  test("a mapping that throws is logged, and loses only its own keys", async () => {
    const map = (object: KubeObject) => {
      if (object.metadata.labels?.broken) throw new Error("broken mapping")
      return ["default/a"]
    }
    const secret = (labels: Record<string, string>) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "default", labels },
    })
    await using running = await testManager([configMapController({ watches: [watch(secrets, "its secret changed", map)] })])
    await running.server.apply(secret({}))
    await running.server.settled()
    await running.server.apply(secret({ broken: "yes" }))
    await running.server.settled()
    expect(inDefault(running.reconciles())).toHaveLength(2)
    expect(running.lines).toContainEqual(
      expect.objectContaining({ level: "error", fields: expect.objectContaining({ error: "broken mapping" }) }),
    )
  })

  test("what is there at the start is looked at, behind live changes", async () => {
    await using first = await testManager([])
    await first.server.apply(configMap("a"))
    await using second = await testManager([configMapController()], { server: first.server })
    expect(inDefault(second.reconciles())).toEqual(["default/a: ConfigMap added"])
  })

  test("a live change goes before all that was there at the start and was not begun", async () => {
    await using first = await testManager([])
    for (const name of ["a", "b", "c"]) await first.server.apply(configMap(name))
    const slow = configMapController({
      maxConcurrentReconciles: 1,
      observe: async (key, read) => {
        await first.clock.sleep(1000)
        return read.get(configMaps, key)
      },
    })
    await using second = await testManager([slow], { server: first.server })
    await first.server.apply(configMap("live"))
    await first.server.advance("20s")
    const keys = second.reconciles().map((look) => look.split(":")[0])
    expect(keys.length).toBeGreaterThan(4)
    expect(keys.indexOf("default/live")).toBe(1)
  })

  test("several causes of a queued key lead to one reconcile with all of them", async () => {
    const slow = configMapController({
      maxConcurrentReconciles: 1,
      observe: async (key, read) => {
        if (keyOf({ metadata: { name: "slow", namespace: "default" } }) === key) await read.live(configMaps, key)
        return read.get(configMaps, key)
      },
    })
    const layer: NonNullable<Parameters<typeof testManager>[1]>["layer"] = (inner, clock) =>
      scriptedTransport(inner, ({ path }) => (path.endsWith("/slow") ? { do: "delay", milliseconds: 1000 } : { do: "pass" }), clock)
    await using running = await testManager([slow], { layer })
    await running.server.apply(configMap("slow"))
    await running.server.settled()
    await running.server.apply(configMap("a"))
    await running.server.apply(configMap("a", { x: "1" }))
    await running.server.advance("1s")
    expect(inDefault(running.reconciles())).toEqual(["default/slow: ConfigMap added", "default/a: ConfigMap added, ConfigMap updated"])
  })
})

describe("which key goes first", () => {
  test("the one of the highest priority, of those that were there at the start too", async () => {
    const seen: string[] = []
    const urgent = configMapController({
      maxConcurrentReconciles: 1,
      priority: (key, read) => Number(read.get(configMaps, key)?.data?.priority ?? -1),
      observe: (key, read) => {
        seen.push(key)
        return read.get(configMaps, key)
      },
    })
    await using server = await cluster({ nodes: 0, controllers: [] })
    for (const [name, priority] of [
      ["low", "1"],
      ["high", "9"],
      ["mid", "5"],
    ] as const)
      await server.apply(configMap(name, { priority }))
    await using _running = await testManager([urgent], { server })
    await server.settled()
    expect(inDefault(seen)).toEqual(["default/high", "default/mid", "default/low"])
  })
})

test.each<[string, () => number]>([
  ["throws", () => (undefined as unknown as { x: number }).x],
  ["is no number", () => Number.NaN],
])("a priority that %s costs no key: it gets the usual one, and that is said", async (_what, priority) => {
  await using running = await testManager([configMapController({ priority })])
  for (const name of ["a", "b"]) await running.server.apply(configMap(name))
  await running.server.settled()
  expect(inDefault(running.reconciles())).toEqual(["default/a: ConfigMap added", "default/b: ConfigMap added"])
  expect(running.lines).toContainEqual(expect.objectContaining({ level: "error", message: "priority threw; the key gets the default one" }))
})

test("invalid keys are logged, and lose only that mapping", async () => {
  const odd = (keys: readonly unknown[]) => watch(secrets, `odd ${keys.length}`, () => keys as string[])
  await using running = await testManager([
    configMapController({ watches: [odd([undefined]), odd(["a/b/c", "x"]), watch(secrets, "fine", () => ["default/from-secret"])] }),
  ])
  await running.server.apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "default" } })
  await running.server.settled()
  expect(inDefault(running.reconciles())).toEqual(["default/from-secret: fine"])
  const said = running.lines.filter(({ level }) => level === "error").map(({ fields }) => fields.error)
  expect(said).toEqual([
    'expected keys "namespace/name" or "name", found undefined',
    'expected keys "namespace/name" or "name", found a/b/c',
  ])
})

test("a controller for nothing is refused where it is written", () => {
  expect(() => configMapController({ for: undefined as never })).toThrow(
    'expected a kind in "for" of the controller looker, found undefined',
  )
})

describe("state that follows a cache", () => {
  test("is restarted, then receives present objects, then each change before it enqueues a key", async () => {
    const told: string[] = []
    const state = {
      restart: () => void told.push("restart"),
      changed: ({ type, object }: Change<ConfigMap>) => void told.push(`${type} ${object.metadata.namespace}/${object.metadata.name}`),
    }
    const following = configMapController({
      cacheObservers: [cacheObserver(configMaps, state)],
      predicate: (change) => {
        told.push(`enqueued ${change.object.metadata.namespace}/${change.object.metadata.name}`)
        return true
      },
    })
    await using running = await testManager([following])
    await running.server.settled()
    await running.server.apply(configMap("a"))
    await running.server.settled()
    expect(told[0]).toBe("restart")
    expect(told.filter((line) => line.includes("default/a"))).toEqual(["added default/a", "enqueued default/a"])
  })
})
