import type { ConfigMap } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { DeltaQueue, type Deltas } from "./delta-queue.ts"

function named(name: string, version = 1): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, resourceVersion: String(version) } }
}

function queueWith(...known: readonly ConfigMap[]): DeltaQueue<ConfigMap> {
  return new DeltaQueue(new Map(known.map((object) => [object.metadata.name ?? "", object])))
}

/** "a: added@1 deleted?@2" */
function short(popped: Deltas<ConfigMap> | undefined): string | undefined {
  return (
    popped &&
    `${popped.key}: ${popped.deltas.map((delta) => `${delta.type}${delta.type === "deleted" && delta.finalStateUnknown ? "?" : ""}@${delta.object.metadata.resourceVersion}`).join(" ")}`
  )
}

function popAll(queue: DeltaQueue<ConfigMap>): readonly (string | undefined)[] {
  const all: (string | undefined)[] = []
  for (let popped = queue.pop(); popped !== undefined; popped = queue.pop()) all.push(short(popped))
  return all
}

describe("deltas of an object", () => {
  test("add a, add b, add b, delete a: the first one popped is a, added and deleted", () => {
    const queue = queueWith()
    queue.add(named("a"))
    queue.add(named("b"))
    queue.add(named("b"))
    queue.delete(named("a"))
    const popped = queue.pop()
    expect(popped?.key).toBe("a")
    expect(popped?.deltas.map(({ type }) => type)).toEqual(["added", "deleted"])
  })

  test("two adds are not merged", () => {
    const queue = queueWith()
    queue.add(named("a", 1))
    queue.add(named("a", 2))
    queue.update(named("a", 3))
    expect(popAll(queue)).toEqual(["a: added@1 added@2 updated@3"])
  })

  test("of two deletes in a row the one that saw the object go is kept", () => {
    const queue = queueWith(named("a", 1))
    queue.delete(named("a", 2))
    queue.replace([])
    expect(popAll(queue)).toEqual(["a: deleted@2"])
    queue.replace([])
    queue.delete(named("a", 3))
    expect(popAll(queue)).toEqual(["a: deleted@3"])
  })

  test("the delete of an unknown object is dropped", () => {
    const queue = queueWith()
    queue.delete(named("a"))
    expect(popAll(queue)).toEqual([])
  })

  test("a key keeps its place while more is learned about it, and gets a new one after it was popped", () => {
    const queue = queueWith()
    queue.add(named("a", 1))
    queue.add(named("b", 2))
    queue.update(named("a", 3))
    expect(short(queue.pop())).toBe("a: added@1 updated@3")
    queue.update(named("a", 4))
    expect(popAll(queue)).toEqual(["b: added@2", "a: updated@4"])
  })
})

describe("replace", () => {
  test("queues deletions first, with the last known state, then present objects", () => {
    const queue = queueWith(named("a", 1), named("b", 2))
    queue.replace([named("b", 5), named("c", 6)])
    expect(popAll(queue)).toEqual(["a: deleted?@1", "b: replaced@5", "c: replaced@6"])
  })

  test("what is queued and not in the list is gone too, with its newest queued state", () => {
    const queue = queueWith(named("a", 1))
    queue.update(named("a", 2))
    queue.add(named("b", 3))
    queue.replace([])
    expect(popAll(queue)).toEqual(["a: updated@2 deleted?@2", "b: added@3 deleted?@3"])
  })
})

test("resync reminds of every known object that nothing is queued for", () => {
  const queue = queueWith(named("a", 1), named("b", 1))
  queue.update(named("b", 2))
  queue.resync()
  expect(popAll(queue)).toEqual(["b: updated@2", "a: sync@1"])
})

describe("hasSynced", () => {
  test("is false before anything came, and while the first batch is not popped", () => {
    const queue = queueWith(named("z"))
    expect(queue.hasSynced).toBe(false)
    queue.replace([named("a"), named("b")])
    const seen: unknown[] = []
    for (let popped = queue.pop(); popped !== undefined; popped = queue.pop()) seen.push([popped.initial, queue.hasSynced])
    expect(seen).toEqual([
      [true, false],
      [true, false],
      [true, true],
    ])
  })

  test("is true after an empty list, and when the first thing was an add", () => {
    const empty = queueWith()
    empty.replace([])
    expect(empty.hasSynced).toBe(true)
    const adding = queueWith()
    adding.add(named("a"))
    expect(adding.hasSynced).toBe(true)
  })

  test("a second list is not a first batch", () => {
    const queue = queueWith()
    queue.replace([])
    queue.replace([named("a")])
    expect(queue.hasSynced).toBe(true)
    expect(queue.pop()?.initial).toBe(false)
  })
})
