import type { Field, Schema } from "@pilothouse/api"
import type { Draw } from "./draw.ts"
import { isRecord, type JsonObject } from "./objects/object.ts"
import { drawValue } from "./values.ts"

export interface ListPatch {
  readonly name: string
  readonly field: Field
  readonly live: readonly unknown[]
  /** Gets the list's field, and the directives that stand beside it. */
  readonly into: Record<string, unknown>
  readonly drawChange: (element: JsonObject) => JsonObject
}

/** A patch of a list that merges: changed, deleted and new elements, in an order of their own or none. */
export function drawListPatch(draw: Draw, { name, field, live, into, drawChange }: ListPatch): void {
  const items = field.schema.items ?? { type: "any" as const }
  if (field.patchMergeKey === undefined) drawSetPatch(draw, name, items, live, into)
  else drawKeyedPatch(draw, { name, items, mergeKey: field.patchMergeKey, drawChange }, live.filter(isRecord), into)
}

function drawSetPatch(draw: Draw, name: string, items: Schema, live: readonly unknown[], patch: Record<string, unknown>): void {
  // Objects in it make the real server panic as well.
  const added = draw.times(0, 2, () => drawValue(draw, items, name)).filter((one) => typeof one !== "object")
  const removed = draw.some([...live, "absent"], 2)
  const ordered = draw.chance(0.5)
  // Additions and deletions at once without an order: Go's random map order decides which comes first.
  if (draw.chance(0.6) || ordered) patch[name] = added
  if (patch[name] === undefined || ordered) patch[`$deleteFromPrimitiveList/${name}`] = removed
  if (ordered) patch[`$setElementOrder/${name}`] = orderOf(draw, [...added, ...live.filter((one) => !removed.includes(one))])
}

interface KeyedList {
  readonly name: string
  readonly items: Schema
  readonly mergeKey: string
  readonly drawChange: (element: JsonObject) => JsonObject
}

function drawKeyedPatch(draw: Draw, list: KeyedList, live: readonly JsonObject[], patch: Record<string, unknown>): void {
  const { mergeKey, name } = list
  const elements: JsonObject[] = [
    ...draw.some(live, 2).map((element) => changed(draw, list, element)),
    ...(draw.chance(0.4) ? [drawValue(draw, list.items, name)].filter(isRecord).filter((element) => hasScalarKey(element, mergeKey)) : []),
    ...(draw.chance(0.05) ? [{ $patch: draw.pick(["replace", "merge", "wrong"]) }] : []),
  ]
  if (draw.chance(0.9)) patch[name] = draw.shuffled(elements)
  if (draw.chance(0.65)) return
  const deleted = elements.filter((element) => element.$patch === "delete").map((element) => element[mergeKey])
  const keys = [...elements, ...live].map((element) => element[mergeKey]).filter((key) => key !== undefined && !deleted.includes(key))
  const order = orderOf(draw, [...new Set(keys)])
  patch[`$setElementOrder/${name}`] = order.map((key) => ({ [mergeKey]: key }))
  // What kubectl sends: the elements stand in the order they ask for. Otherwise the server refuses.
  if (Array.isArray(patch[name]) && draw.chance(0.85)) {
    const place = (element: JsonObject) => order.indexOf(element[mergeKey])
    patch[name] = elements.toSorted((a, b) => place(a) - place(b))
  }
}

/** A list or object there makes the real server panic: Go cannot compare them. */
function hasScalarKey(element: JsonObject, mergeKey: string): boolean {
  return typeof element[mergeKey] !== "object"
}

function changed(draw: Draw, { mergeKey, drawChange }: KeyedList, element: JsonObject): JsonObject {
  const key = draw.chance(0.01) ? {} : { [mergeKey]: element[mergeKey] }
  if (draw.chance(0.25)) return { $patch: "delete", ...key }
  const { [mergeKey]: _given, ...change } = drawChange(element)
  return draw.chance(0.5) ? { ...key, ...change } : { ...change, ...key }
}

/** Mostly all of them, sometimes without one or with a stranger. */
function orderOf(draw: Draw, keys: readonly unknown[]): unknown[] {
  const order = draw.shuffled([...new Set(keys)])
  return draw.chance(0.1) ? order.slice(1) : order
}
