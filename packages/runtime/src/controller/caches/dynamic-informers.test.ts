import { forbidden, internalError, type KubeObject, keyOf, methodNotAllowed, type StatusError } from "@pilothouse/api"
import { configMaps, namespaces, secrets } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { index } from "../../cache/index-definition.ts"
import { type TestManager, type TestManagerOptions, testManager } from "../../manager/testing/manager.ts"
import { ChangingKinds } from "../../testing/changing-kinds.ts"
import { type Controller, controller } from "../controller.ts"
import { plan } from "../plan/plan-builder.ts"
import type { DynamicKinds } from "./dynamic-kinds.ts"
import type { Reader } from "./reader.ts"
import { watch } from "./watch.ts"

const followed = ["configmaps", "secrets", "leases"]

function labelled({ metadata }: KubeObject): readonly string[] {
  return metadata.labels?.toy === undefined ? [] : [metadata.labels.toy]
}

/** Its keys are "ConfigMap default/a"; it notes what it reads, and can delete what has the label toy=broken. */
function collector(spec: Partial<DynamicKinds> = {}, reads: (read: Reader) => void = () => {}): Controller {
  return controller<{ of: (typeof configMaps)[]; object: KubeObject }>("collector", {
    for: namespaces,
    predicate: () => false,
    dynamicKinds: {
      includes: ({ plural }) => followed.includes(plural),
      watches: (of) => [
        watch(of, `${of.kind} changed`, (object) => (object.metadata.labels?.toy === undefined ? [] : [`${of.kind} ${keyOf(object)}`])),
      ],
      indexes: (of) => [index(of, "toy", labelled)],
      metadataOnly: true,
      ...spec,
    },
    observe(key, read) {
      reads(read)
      const [kind, name = ""] = key.split(" ")
      const of = read.kinds().find((one) => one.of.kind === kind)?.of
      const object = of && read.get(of, name)
      return object && { of: [], object }
    },
    decide: ({ object }) =>
      object.metadata.labels?.toy === "broken" ? plan().delete(object, "it is broken") : plan().nothing("it is whole"),
  })
}

function toy(kind: "ConfigMap" | "Secret", name: string, label = "whole"): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name, namespace: "default", labels: { toy: label } }, data: { a: "YQ==" } } as KubeObject
}

async function start(kinds: ChangingKinds, made: Controller, options: TestManagerOptions = {}): Promise<TestManager> {
  return testManager([made], { layer: (inner) => kinds.layer(inner), ...options })
}

function names(read: Reader | undefined): readonly string[] {
  return (read?.kinds() ?? []).map(({ of, hasSynced }) => `${of.plural}${hasSynced ? "" : " (not synced)"}`).sort()
}

describe("kinds that are discovered", () => {
  test("of some kinds no more than the metadata is kept, of others all", async () => {
    const found: string[] = []
    const reads = (read: Reader) => {
      const objects = read.byIndexOfAll((of) => index(of, "toy", labelled), "whole")
      found.push(objects.map(({ of, object }) => `${of.kind} ${"data" in object ? "whole" : "metadata"}`).join(", "))
    }
    const made = collector({ metadataOnly: ({ plural }) => plural !== "secrets" }, reads)
    await using running = await start(new ChangingKinds(), made)
    await running.server.apply(toy("ConfigMap", "a"))
    await running.server.settled()
    await running.server.apply(toy("Secret", "b"))
    await running.server.settled()
    expect(found.at(-1)).toBe("ConfigMap metadata, Secret whole")
  })

  test("every included kind is watched: its objects enqueue keys, are read, and found by index over all kinds", async () => {
    const found: string[] = []
    const kinds = new ChangingKinds()
    const reads = (read: Reader) => {
      found.push(names(read).join(" "))
      found.push(...read.byIndexOfAll((of) => index(of, "toy", labelled), "whole").map(({ of, object }) => `${of.kind} ${keyOf(object)}`))
    }
    await using running = await start(kinds, collector({}, reads))
    await running.server.apply(toy("ConfigMap", "a"))
    await running.server.settled()
    await running.server.apply(toy("Secret", "b"))
    await running.server.settled()
    expect(running.reconciles()).toEqual(["ConfigMap default/a: ConfigMap changed", "Secret default/b: Secret changed"])
    expect(found).toEqual([
      "configmaps leases secrets",
      "ConfigMap default/a",
      "configmaps leases secrets",
      "ConfigMap default/a",
      "Secret default/b",
    ])
  })

  test("a kind that appears is followed within 30 s, with what it has already", async () => {
    const kinds = new ChangingKinds()
    kinds.hidden.add("secrets")
    await using running = await start(kinds, collector())
    await running.server.apply(toy("Secret", "b"))
    await running.server.advance("29s")
    expect(running.reconciles()).toEqual([])
    kinds.hidden.clear()
    await running.server.advance("2s")
    expect(running.reconciles()).toEqual(["Secret default/b: Secret changed"])
    await running.server.apply(toy("Secret", "c"))
    await running.server.settled()
    expect(running.reconciles()).toHaveLength(2)
  })

  test("of a removed kind every object is delivered as deleted, and its watch ends", async () => {
    let last: Reader | undefined
    const kinds = new ChangingKinds()
    const gone: string[] = []
    const watches: DynamicKinds["watches"] = (of) => [
      watch(of, `${of.kind} changed`, (object) => [`${of.kind} ${keyOf(object)}`], {
        predicate: (change) => {
          if (change.type === "deleted") gone.push(`${keyOf(change.object)} ${change.finalStateUnknown}`)
          return change.object.metadata.labels?.toy !== undefined
        },
      }),
    ]
    await using running = await start(
      kinds,
      collector({ watches }, (read) => {
        last = read
      }),
    )
    await running.server.apply(toy("ConfigMap", "a"))
    await running.server.apply(toy("ConfigMap", "b"))
    await running.server.advance("1s")
    kinds.hidden.add("configmaps")
    await running.server.advance("30s")
    expect(gone).toEqual(expect.arrayContaining(["default/a true", "default/b true"]))
    expect(running.reconciles()).toHaveLength(4)
    expect(names(last)).toEqual(["leases", "secrets"])
    expect(last?.get(configMaps, "default/a")).toBeUndefined()
    expect(last?.list(configMaps)).toEqual([])
    const before = kinds.reads.length
    await running.server.advance("20m")
    expect(kinds.reads.slice(before).filter((read) => read.startsWith("configmaps"))).toEqual([])
    // And it may come again.
    kinds.hidden.clear()
    await running.server.advance("31s")
    expect(names(last)).toEqual(["configmaps", "leases", "secrets"])
    expect(running.reconciles()).toHaveLength(6)
  })

  const refusals: readonly (readonly [string, StatusError])[] = [
    ["500", internalError("it is broken")],
    ["403", forbidden({ group: "", plural: "secrets" } as never, "", "not for you")],
    ["405", methodNotAllowed({ group: "", plural: "secrets" } as never, "list")],
  ]
  test.each(refusals)("a kind whose list answers %s holds up the start for 30 s and no longer, and is tried on", async (_, refusal) => {
    let last: Reader | undefined
    const kinds = new ChangingKinds()
    kinds.failing.set("secrets", refusal)
    const made = collector({}, (read) => {
      last = read
    })
    await using running = await start(kinds, made)
    await running.server.apply(toy("ConfigMap", "a"))
    await running.server.apply(toy("Secret", "b"))
    await running.server.advance("29s")
    expect(running.reconciles()).toEqual([])
    await running.server.advance("2s")
    expect(running.reconciles()).toEqual(["ConfigMap default/a: ConfigMap changed"])
    expect(names(last)).toEqual(["configmaps", "leases", "secrets (not synced)"])
    expect(running.lines).toContainEqual({
      level: "warn",
      message: "a controller starts without the caches of some of its dynamic kinds",
      fields: { controller: "collector", missing: ["secrets"] },
    })
    kinds.failing.clear()
    await running.server.advance("61s")
    expect(running.reconciles()).toContain("Secret default/b: Secret changed")
    expect(names(last)).toEqual(["configmaps", "leases", "secrets"])
  })

  test("a group that does not answer discovery changes nothing of what is followed", async () => {
    let last: Reader | undefined
    const kinds = new ChangingKinds()
    const made = collector({}, (read) => {
      last = read
    })
    await using running = await start(kinds, made)
    await running.server.apply(toy("ConfigMap", "a"))
    await running.server.settled()
    kinds.stale.add("coordination.k8s.io/v1")
    kinds.stale.add("v1")
    await running.server.advance("40s")
    expect(names(last)).toEqual(["configmaps", "leases", "secrets"])
    await running.server.apply(toy("Secret", "b"))
    await running.server.settled()
    expect(running.reconciles()).toHaveLength(2)
  })

  test("discovery that is down at the start is tried again every second, and later leaves all as it is", async () => {
    let last: Reader | undefined
    const kinds = new ChangingKinds()
    kinds.broken = true
    const made = collector({}, (read) => {
      last = read
    })
    await using running = await start(kinds, made)
    await running.server.apply(toy("ConfigMap", "a"))
    await running.server.advance("5s")
    expect(running.reconciles()).toEqual([])
    kinds.broken = false
    await running.server.advance("2s")
    expect(running.reconciles()).toHaveLength(1)
    kinds.broken = true
    await running.server.advance("2m")
    expect(names(last)).toEqual(["configmaps", "leases", "secrets"])
  })

  test("metadata only is asked for by Accept, in lists and watches", async () => {
    let last: Reader | undefined
    const kinds = new ChangingKinds()
    const made = collector({}, (read) => {
      last = read
    })
    await using running = await start(kinds, made)
    await running.server.apply(toy("Secret", "b"))
    await running.server.settled()
    expect(last?.get(secrets, "default/b")).toMatchObject({ apiVersion: "v1", kind: "Secret", metadata: { name: "b" } })
    expect(last?.get(secrets, "default/b")?.data).toBeUndefined()
    const accepts = kinds.reads.filter((read) => read.startsWith("secrets "))
    expect(new Set(accepts)).toEqual(new Set(["secrets application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"]))
  })

  test("a cache of whole objects that another controller has is shared", async () => {
    const kinds = new ChangingKinds()
    let last: Reader | undefined
    const other = controller("other", { for: secrets, observe: () => undefined, decide: () => plan() })
    const made = collector({}, (read) => {
      last = read
    })
    await using running = await testManager([other, made], { layer: (inner) => kinds.layer(inner) })
    await running.server.apply(toy("Secret", "b"))
    await running.server.settled()
    expect(last?.get(secrets, "default/b")?.data).toEqual({ a: "YQ==" })
    expect(kinds.reads.filter((read) => read.startsWith("secrets "))).toEqual(["secrets application/json"])
    // The kind goes for one; the cache stays for the other.
    kinds.hidden.add("secrets")
    await running.server.advance("31s")
    await running.server.apply(toy("Secret", "c"))
    await running.server.settled()
    expect(running.reconciles().filter((look) => look.startsWith("default/c"))).toHaveLength(1)
  })

  test("writes to a discovered kind are waited for, and one to a kind that vanishes holds nothing up", async () => {
    const kinds = new ChangingKinds()
    await using running = await start(kinds, collector())
    await running.server.apply(toy("Secret", "b", "broken"))
    await running.server.advance("5s")
    expect(await running.server.list(secrets, { namespace: "default", labelSelector: "toy" })).toEqual([])
    const deletes = running.manager.trace.entries().flatMap(({ results }) => results)
    expect(deletes).toHaveLength(1)
    kinds.hidden.add("secrets")
    await running.server.apply(toy("Secret", "c", "broken"))
    await running.server.advance("1m")
    kinds.hidden.clear()
    await running.server.apply(toy("Secret", "d", "broken"))
    await running.server.advance("1m")
    expect(await running.server.list(secrets, { namespace: "default", labelSelector: "toy" })).toEqual([])
  })

  test("a restart finds the same kinds and objects again", async () => {
    const kinds = new ChangingKinds()
    await using first = await start(kinds, collector())
    await first.server.apply(toy("ConfigMap", "a"))
    await first.server.settled()
    await first.stop()
    await using second = await start(kinds, collector(), { server: first.server })
    expect(second.reconciles()).toEqual(["ConfigMap default/a: ConfigMap changed"])
  })

  test("a standby has warm caches: it needs no list and no discovery when it takes over", async () => {
    const kinds = new ChangingKinds()
    const leads = (identity: string) => ({ leaderElection: { lease: "kube-system/collector", identity } })
    await using first = await start(new ChangingKinds(), collector(), leads("one"))
    await using second = await start(kinds, collector(), { ...leads("two"), server: first.server })
    await first.server.apply(toy("ConfigMap", "a"))
    await first.server.advance("10s")
    expect(second.reconciles()).toEqual([])
    const before = kinds.reads.filter((read) => read.startsWith("configmaps")).length
    await first.stop()
    await first.server.advance("5s")
    expect(second.reconciles()).toEqual(["ConfigMap default/a: ConfigMap changed"])
    expect(kinds.reads.filter((read) => read.startsWith("configmaps"))).toHaveLength(before)
  })

  test("two controllers with dynamic kinds share one discovery and one cache", async () => {
    const kinds = new ChangingKinds()
    const twin = { ...collector(), name: "twin" }
    await using running = await testManager([collector(), twin], { layer: (inner) => kinds.layer(inner) })
    await running.server.advance("61s")
    expect(kinds.discoveries).toBe(3)
    expect(kinds.reads.filter((read) => read.startsWith("leases"))).toHaveLength(1)
  })

  test("a manager that is stopped before any cache is full ends at once", async () => {
    const kinds = new ChangingKinds()
    kinds.broken = true
    kinds.failing.set("namespaces", internalError("it is broken"))
    await using running = await start(kinds, collector())
    await running.server.advance("3s")
    const before = running.clock.now()
    await running.stop()
    expect(running.clock.now() - before).toBeLessThan(1000)
  })

  test("a question that throws costs its kind and no other, and is asked again", async () => {
    let throws = true
    const kinds = new ChangingKinds()
    const includes: DynamicKinds["includes"] = ({ plural }) => {
      if (plural === "secrets" && throws) throw new Error("what is a secret?")
      return followed.includes(plural)
    }
    const indexes: NonNullable<DynamicKinds["indexes"]> = (of) => {
      if (of.plural === "leases" && throws) throw new Error("what is a lease?")
      return [index(of, "toy", labelled)]
    }
    let last: Reader | undefined
    const made = collector({ includes, indexes }, (read) => {
      last = read
    })
    await using running = await start(kinds, made)
    await running.server.apply(toy("ConfigMap", "a"))
    await running.server.settled()
    expect(names(last)).toEqual(["configmaps"])
    throws = false
    await running.server.advance("31s")
    expect(names(last)).toEqual(["configmaps", "leases", "secrets"])
  })
})
