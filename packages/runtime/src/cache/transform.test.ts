import { deepFreeze } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { Interner, interning } from "./interning.ts"
import { objectTransform } from "./transform.ts"

function pod(): Pod {
  return JSON.parse(
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "a-long-namespace", managedFields: [{ manager: "kubelet" }] },
      spec: { nodeName: "worker-node-12.example", containers: [{ name: "web", image: "registry.example/web:1.2.3" }] },
    }),
  )
}

describe("an object from the wire", () => {
  test("loses its managedFields, in place", () => {
    const object = pod()
    const kept = objectTransform(pods, {})(object)
    expect(kept).toBe(object)
    expect("managedFields" in kept.metadata).toBe(false)
  })

  test("keeps them where they are read", () => {
    expect(objectTransform(pods, { dropManagedFields: false })(pod()).metadata.managedFields).toHaveLength(1)
  })

  test("keeps its metadata only where that is enough", () => {
    expect(objectTransform(pods, { metadataOnly: true })(pod())).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "a-long-namespace" },
    })
  })

  test("is frozen in tests, so that a change of a cached object throws", () => {
    const kept = objectTransform(pods, { freeze: true })(pod())
    expect(() => {
      ;(kept.spec as { nodeName?: string }).nodeName = "elsewhere"
    }).toThrow(TypeError)
  })

  test("goes through the transform of its user once, after ours", () => {
    const seen: unknown[] = []
    const transform = (object: Pod) => {
      seen.push(object.metadata.managedFields)
      return { ...object, spec: undefined }
    }
    expect(objectTransform(pods, { transform })(pod()).spec).toBeUndefined()
    expect(seen).toEqual([undefined])
  })
})

test("an object from a server in this process is frozen and shared, and stays the very same", () => {
  const object = deepFreeze(pod())
  expect(objectTransform(pods, { interner: new Interner(), freeze: true })(object)).toBe(object)
})

describe("interning", () => {
  test("asks only about the listed strings that the engine does not share by itself", () => {
    const interner = new Interner()
    interning("Pod", interner)(pod())
    expect(interner.size).toBe(3)
    interning("Pod", interner)(pod())
    expect(interner.size).toBe(3)
  })

  test("changes nothing that can be seen", () => {
    const object = pod()
    interning("Pod", new Interner())(object)
    expect(object).toEqual(pod())
  })

  test("keeps a bounded number of strings", () => {
    const interner = new Interner(10)
    for (let at = 0; at < 100; at++) expect(interner.intern(`a long string number ${at}`)).toBe(`a long string number ${at}`)
    expect(interner.size).toBeLessThanOrEqual(10)
    const withDefaults = new Interner()
    for (let at = 0; at < 10_000; at++) withDefaults.intern(`a long string number ${at}`)
    expect(withDefaults.size).toBe(10_000)
    withDefaults.intern("a long string that is one too many")
    expect(withDefaults.size).toBe(1)
  })
})
