import { setOwn } from "@pilothouse/seams"

/** A JSON object: a custom resource, or a part of one. */
export type JsonObject = Readonly<Record<string, unknown>>

/** What a change makes of a field that is to go. */
export const dropped = Symbol("dropped")

/** What becomes of a value below a node of a schema: itself where nothing changes. */
export type Change<Node, Walk> = (value: unknown, key: string | number, node: Node, walk: Walk) => unknown

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The object with every field changed; the object itself where no field changes, without allocating anything. */
export function changedFields<Node, Walk>(map: JsonObject, change: Change<Node, Walk>, node: Node, walk: Walk): JsonObject {
  let copy: Record<string, unknown> | undefined
  for (const key in map) {
    const value = map[key]
    const made = change(value, key, node, walk)
    if (copy === undefined) {
      if (made === value) continue
      copy = fieldsBefore(map, key)
    }
    if (made !== dropped) setOwn(copy, key, made)
  }
  return copy ?? map
}

function fieldsBefore(map: JsonObject, end: string): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key in map) {
    if (key === end) break
    setOwn(copy, key, map[key])
  }
  return copy
}

/** The list with every item changed; the list itself where no item changes. */
export function changedItems<Node, Walk>(list: readonly unknown[], change: Change<Node, Walk>, node: Node, walk: Walk): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let index = 0; index < list.length; index++) {
    const made = change(list[index], index, node, walk)
    if (made === list[index]) continue
    copy ??= list.slice()
    copy[index] = made
  }
  return copy ?? list
}
