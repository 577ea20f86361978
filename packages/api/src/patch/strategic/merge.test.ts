import { describe, expect, test } from "vitest"
import { schemaOf } from "../../schemas.ts"
import { apply, named, type Value } from "../testing/strategic.ts"
import type { JsonObject } from "../values/json-value.ts"
import { mergeList } from "./list.ts"
import { applyStrategicMerge } from "./merge.ts"
import { sortByOrder } from "./order.ts"

/** A row about `spec` alone. */
function applySpec(spec: Value, patch: Value): unknown {
  return (apply({ spec }, { spec: patch }) as Value).spec
}

function namesOf(list: unknown): string {
  return (list as { name: string }[]).map(({ name }) => name).join(" ")
}

describe("objects and maps", () => {
  test.each<[string, Value, Value, Value]>([
    ["a value is added and another changed", { replicas: 1 }, { replicas: 2, opaque: { x: 1 } }, { replicas: 2, opaque: { x: 1 } }],
    ["null deletes", { replicas: 1, nodeSelector: { a: "b" } }, { replicas: null }, { nodeSelector: { a: "b" } }],
    ["null for what is not there does nothing", { replicas: 1 }, { nodeSelector: null }, { replicas: 1 }],
    [
      "map keys are merged",
      { nodeSelector: { a: "1", b: "2" } },
      { nodeSelector: { b: null, c: "3" } },
      { nodeSelector: { a: "1", c: "3" } },
    ],
    [
      "nulls in a new object are dropped at any depth",
      {},
      { rollout: { type: null, limits: { max: 1, min: null } } },
      { rollout: { limits: { max: 1 } } },
    ],
    ["a null in the original is replaced", { nodeSelector: null }, { nodeSelector: { a: "b", c: null } }, { nodeSelector: { a: "b" } }],
    ["another type replaces", { nodeSelector: { a: "b" } }, { nodeSelector: ["x"] }, { nodeSelector: ["x"] }],
    [
      "an object with the strategy replace is replaced",
      { affinity: { zone: "z", host: "h" } },
      { affinity: { host: "i" } },
      { affinity: { host: "i" } },
    ],
    [
      "a list without strategy is replaced",
      { tolerations: [{ key: "a" }, { key: "b" }] },
      { tolerations: [{ key: "c" }] },
      { tolerations: [{ key: "c" }] },
    ],
    ["an empty list replaces too", { tolerations: [{ key: "a" }] }, { tolerations: [] }, { tolerations: [] }],
    ["an unknown field is taken", {}, { invented: { a: 1 } }, { invented: { a: 1 } }],
    ["an unknown scalar is changed", { invented: 1 }, { invented: 2 }, { invented: 2 }],
    ["a list in a new map is taken", { extra: { a: ["x"] } }, { extra: { b: ["y"] } }, { extra: { a: ["x"], b: ["y"] } }],
  ])("%s", (_name, spec, patch, expected) => {
    expect(applySpec(spec, patch)).toEqual(expected)
  })
})

describe("$patch in an object", () => {
  test.each<[string, Value, Value, Value]>([
    [
      "replace takes the patch as it is",
      { nodeSelector: { a: "1" } },
      { nodeSelector: { $patch: "replace", b: "2" } },
      { nodeSelector: { b: "2" } },
    ],
    ["replace with nothing empties", { nodeSelector: { a: "1" } }, { nodeSelector: { $patch: "replace" } }, { nodeSelector: {} }],
    [
      "delete empties, whatever else is said",
      { nodeSelector: { a: "1" } },
      { nodeSelector: { $patch: "delete", b: "2" } },
      { nodeSelector: {} },
    ],
    ["in a place that is not there it leaves nothing", {}, { nodeSelector: { $patch: "replace", a: "1" } }, {}],
    [
      "below a place that is not there it drops its object only",
      {},
      { rollout: { type: "a", limits: { $patch: "delete" } } },
      { rollout: { type: "a" } },
    ],
  ])("%s", (_name, spec, patch, expected) => {
    expect(applySpec(spec, patch)).toEqual(expected)
  })

  test("replaces the whole object at the top", () => {
    expect(apply({ kind: "a", spec: {} }, { $patch: "replace", kind: "b" })).toEqual({ kind: "b" })
    expect(apply({ kind: "a", spec: {} }, { $patch: "delete" })).toEqual({})
  })
})

describe("lists with a merge key", () => {
  const containers = [
    { name: "a", image: "1", env: [{ name: "x", value: "1" }] },
    { name: "b", image: "2" },
  ]
  test.each<[string, Value[], Value[]]>([
    ["an element is changed in its place", [{ name: "b", image: "3" }], [containers[0]!, { name: "b", image: "3" }]],
    [
      "a new element goes first, for the server does not know its place",
      [{ name: "c", image: "3" }],
      [{ name: "c", image: "3" }, ...containers],
    ],
    ["an element is deleted", [{ name: "a", $patch: "delete" }], [containers[1]!]],
    ["deleting what is not there does nothing", [{ name: "z", $patch: "delete" }], containers],
    ["replace takes the other elements as the list", [{ $patch: "replace" }, { name: "c" }], [{ name: "c" }]],
    ["replace alone empties", [{ $patch: "replace" }], []],
    [
      "delete and add again starts with an empty element",
      [
        { name: "a", $patch: "delete" },
        { name: "a", image: "9" },
      ],
      [{ name: "a", image: "9" }, containers[1]!],
    ],
    ["null deletes a field of an element", [{ name: "a", image: null, env: null }], [{ name: "a" }, containers[1]!]],
    [
      "lists in elements merge too",
      [{ name: "a", env: [{ name: "y", value: "2" }] }],
      [
        {
          name: "a",
          image: "1",
          env: [
            { name: "y", value: "2" },
            { name: "x", value: "1" },
          ],
        },
        containers[1]!,
      ],
    ],
    ["nothing is said", [], containers],
  ])("%s", (_name, patch, expected) => {
    const result = applySpec({ containers }, { containers: patch }) as { containers: Value[] }
    expect(result.containers).toEqual(expected)
  })

  test("all elements of one key are deleted, the first is merged", () => {
    const ports = [{ containerPort: 53, protocol: "UDP" }, { containerPort: 80 }, { containerPort: 53, protocol: "TCP" }]
    const change = (patch: Value[]) => applySpec({ containers: [{ name: "a", ports }] }, { containers: [{ name: "a", ports: patch }] })
    expect(change([{ containerPort: 53, $patch: "delete" }])).toEqual({ containers: [{ name: "a", ports: [{ containerPort: 80 }] }] })
    const [udp, http, tcp] = ports
    expect(change([{ containerPort: 53, protocol: "SCTP" }])).toEqual({
      containers: [{ name: "a", ports: [{ ...udp, protocol: "SCTP" }, tcp, http] }],
    })
  })

  test("a new element keeps its nulls: what decodes the object drops them", () => {
    expect(applySpec({ containers: [] }, { containers: [{ name: "a", image: null }] })).toEqual({
      containers: [{ name: "a", image: null }],
    })
  })
})

describe("the order of a merged list", () => {
  test.each<[string, string, string, string | undefined, string]>([
    ["what the patch does not name keeps its place", "a b c d", "c", undefined, "a b c d"],
    ["the patch's order holds for what it names", "a b c d", "d a", undefined, "b c d a"],
    ["new elements go where the patch has them", "a b", "x a", undefined, "x a b"],
    ["server-only elements fill in by their old neighbours", "a b c", "c x", undefined, "a b c x"],
    ["an order list moves elements that do not change", "a b c", "", "c b a", "c b a"],
    ["an order list leaves server-only elements between", "a s b", "", "b a", "s b a"],
    ["an order list places a new element", "a b c", "x", "a x b c", "a x b c"],
    ["an order list may name what is nowhere", "a b", "x", "ghost x b", "x a b"],
    ["an order list with all elements new", "", "x y", "y x", "error"],
    ["an order list makes server-only elements follow", "s a", "x", "x a", "x s a"],
  ])("%s: [%s] with [%s], order [%s], gives [%s]", (_name, before, change, order, expected) => {
    const patch = {
      ...(change === "" ? {} : { containers: named(change) }),
      ...(order === undefined ? {} : { "$setElementOrder/containers": named(order) }),
    }
    if (expected === "error") expect(() => applySpec({ containers: named(before) }, patch)).toThrow("The order in patch list")
    else expect(namesOf((applySpec({ containers: named(before) }, patch) as Value).containers)).toBe(expected)
  })

  test("a new element takes the place of a deleted one, as on the server", () => {
    const patch = { containers: [{ name: "z" }, { name: "a", $patch: "delete" }], "$setElementOrder/containers": named("z b") }
    expect(namesOf((applySpec({ containers: named("a s b") }, patch) as Value).containers)).toBe("s z b")
  })

  test("an empty order does not order what the patch adds: the last comes first", () => {
    const patch = { containers: named("x y"), "$setElementOrder/containers": [] }
    expect(namesOf((applySpec({ containers: named("a") }, patch) as Value).containers)).toBe("a y x")
  })

  test("an order for a list that is nowhere is ignored, for one that is added it is kept", () => {
    expect(applySpec({}, { "$setElementOrder/containers": named("a") })).toEqual({})
    const patch = { containers: [{ name: "a" }, { name: "gone", $patch: "delete" }], "$setElementOrder/containers": named("a") }
    expect(applySpec({}, patch)).toEqual({ containers: [{ name: "a" }] })
  })
})

describe("lists of primitives that merge", () => {
  test.each<[string, string[] | undefined, Value, string[] | undefined]>([
    ["are united, each element once", ["a", "b"], { finalizers: ["b", "c"] }, ["a", "b", "c"]],
    ["take the patch's order", ["a", "b", "c"], { finalizers: ["c", "a"] }, ["b", "c", "a"]],
    ["lose the named elements", ["a", "b", "c"], { "$deleteFromPrimitiveList/finalizers": ["b", "z"] }, ["a", "c"]],
    ["lose every occurrence", ["a", "b", "a"], { "$deleteFromPrimitiveList/finalizers": ["a"] }, ["b"]],
    ["lose and win in one patch", ["a", "b"], { finalizers: ["c"], "$deleteFromPrimitiveList/finalizers": ["a"] }, ["c", "b"]],
    ["deletion wins over addition", ["a"], { finalizers: ["b", "c"], "$deleteFromPrimitiveList/finalizers": ["b"] }, ["c", "a"]],
    ["are ordered by an order list", ["a", "b", "c"], { "$setElementOrder/finalizers": ["c", "a"] }, ["b", "c", "a"]],
    ["are added and ordered", ["a", "b"], { finalizers: ["x"], "$setElementOrder/finalizers": ["b", "x", "a"] }, ["b", "x", "a"]],
    ["a deletion from nothing adds nothing", undefined, { "$deleteFromPrimitiveList/finalizers": ["a"] }, undefined],
    ["a deletion from an empty list leaves it", [], { "$deleteFromPrimitiveList/finalizers": ["a"] }, []],
    ["a null deletion list deletes the list", ["a"], { "$deleteFromPrimitiveList/finalizers": null }, undefined],
  ])("%s", (_name, before, patch, expected) => {
    const metadata = before === undefined ? {} : { finalizers: before }
    expect(apply({ metadata }, { metadata: patch })).toEqual({ metadata: expected === undefined ? {} : { finalizers: expected } })
  })

  test("deletion works on a list that does not merge", () => {
    const container = { name: "a", command: ["x", "y"] }
    const patch = { containers: [{ name: "a", "$deleteFromPrimitiveList/command": ["x"] }] }
    expect(applySpec({ containers: [container] }, patch)).toEqual({ containers: [{ name: "a", command: ["y"] }] })
  })
})

describe("$retainKeys", () => {
  test.each<[string, Value, Value, Value]>([
    [
      "drops what it does not name",
      { rollout: { type: "a", partition: 1 } },
      { rollout: { $retainKeys: ["type"], type: "b" } },
      { rollout: { type: "b" } },
    ],
    [
      "keeps what it names and the patch leaves",
      { rollout: { type: "a", partition: 1 } },
      { rollout: { $retainKeys: ["partition"] } },
      { rollout: { partition: 1 } },
    ],
    [
      "works in list elements: one volume source follows another",
      { volumes: [{ name: "v", emptyDir: {} }] },
      { volumes: [{ name: "v", $retainKeys: ["name", "configMap"], configMap: { name: "c" } }] },
      { volumes: [{ name: "v", configMap: { name: "c" } }] },
    ],
    [
      "nulls and order lists need not be named",
      { rollout: { type: "a", partition: 1 } },
      { rollout: { $retainKeys: ["type"], partition: null } },
      { rollout: { type: "a" } },
    ],
    [
      "without it nothing is dropped",
      { rollout: { type: "a", partition: 1 } },
      { rollout: { type: "b" } },
      { rollout: { type: "b", partition: 1 } },
    ],
  ])("%s", (_name, spec, patch, expected) => {
    expect(applySpec(spec, patch)).toEqual(expected)
  })
})

describe("sharing", () => {
  const pod = {
    kind: "Pod",
    metadata: { name: "p", finalizers: ["a", "b"] },
    spec: { replicas: 1, containers: [{ name: "a", image: "1", env: [{ name: "x" }] }, { name: "b" }], nodeSelector: { z: "1" } },
  }

  test("only the way to the change is new", () => {
    const result = apply(pod, { spec: { containers: [{ name: "a", image: "2" }] } }) as typeof pod
    expect(result.spec.containers[0]).toEqual({ name: "a", image: "2", env: [{ name: "x" }] })
    expect(result.metadata).toBe(pod.metadata)
    expect(result.spec.nodeSelector).toBe(pod.spec.nodeSelector)
    expect(result.spec.containers[1]).toBe(pod.spec.containers[1])
    expect(result.spec.containers[0]?.env).toBe(pod.spec.containers[0]?.env)
  })

  test("a patch that changes nothing returns its input", () => {
    const patch = {
      kind: "Pod",
      metadata: { finalizers: ["a"], labels: null, "$setElementOrder/finalizers": ["a", "b"] },
      spec: {
        replicas: 1,
        containers: [{ name: "b" }, { name: "z", $patch: "delete" }],
        "$setElementOrder/containers": named("a b"),
        nodeSelector: { z: "1" },
      },
    }
    expect(apply(pod, patch)).toBe(pod)
  })
})

describe("on the kinds of the API", () => {
  test("a Service port is found by its port, a Deployment's strategy drops what the other type had", () => {
    const service = schemaOf({ group: "", version: "v1", kind: "Service" })!
    const value = { spec: { ports: [{ port: 80, targetPort: 8080 }, { port: 443 }] } }
    const changed = applyStrategicMerge(value, { spec: { ports: [{ port: 80, name: "http" }] } }, service)
    expect(changed).toEqual({ spec: { ports: [{ port: 80, targetPort: 8080, name: "http" }, { port: 443 }] } })

    const deployment = schemaOf({ group: "apps", version: "v1", kind: "Deployment" })!
    const rolling = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } }
    const patch = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }
    expect(applyStrategicMerge(rolling, patch, deployment)).toEqual({ spec: { strategy: { type: "Recreate" } } })
  })

  test("the error names the Go type", () => {
    const pod = schemaOf({ group: "", version: "v1", kind: "Pod" })!
    const merge = () => applyStrategicMerge({ spec: { nope: {} } }, { spec: { nope: {} } }, pod)
    expect(merge).toThrow('unable to find api field in struct PodSpec for the json field "nope"')
  })
})

describe("long lists", () => {
  /** How often names are read while each element is deleted by itself, the last first. */
  function readsOfDeletion(count: number): number {
    let reads = 0
    const element = (name: string) => ({
      get name() {
        reads++
        return name
      },
    })
    const names = Array.from({ length: count }, (_, index) => `n${index}`)
    const patch = [...names].reverse().map((name) => ({ name, $patch: "delete" }))
    const merge = { mergeKey: "name", deleting: false, mode: "apply" as const, mergeElement: (original: JsonObject) => original }
    expect(mergeList([...names.map(element), { name: "kept" }], patch, merge).list).toEqual([{ name: "kept" }])
    return reads
  }

  test("deletions of elements read each of them as often in a long list as in a short one", () => {
    expect(readsOfDeletion(1000)).toBe(10 * readsOfDeletion(100))
  })

  test("more than 20 elements that an order does not know are put first without comparing each with each", () => {
    let reads = 0
    const element = (name: string) => ({
      get name() {
        reads++
        return name
      },
    })
    const readsOf = (count: number) => {
      reads = 0
      const elements = Array.from({ length: count }, (_, index) => element(`n${index}`))
      const sorted = sortByOrder([...elements, { name: "known" }], [{ name: "known" }], { type: "object", mergeKey: "name" })
      expect(sorted).toEqual([...elements.reverse(), { name: "known" }])
      return reads
    }
    expect(readsOf(1000)).toBeLessThan(15 * readsOf(100))
  })
})
