import type { Schema } from "@pilothouse/api"
import type { JsonPatchOperation } from "@pilothouse/api/patch"
import type { Draw } from "./draw.ts"
import { isOffLimits } from "./identity-fields.ts"
import type { JsonObject } from "./objects/object.ts"
import { drawValue } from "./values.ts"

/** A place in an object: what is there, and what may be. */
interface Place {
  readonly pointer: string
  readonly field: string
  readonly schema: Schema
  readonly value: unknown
}

/** An RFC 6902 patch of one to four operations: mostly of what is there, sometimes of what is not. */
export function drawJsonPatch(draw: Draw, schema: Schema, live: JsonObject): JsonPatchOperation[] {
  const places = placesIn(live, schema)
  // An object of nothing but its identity, such as an empty ConfigMap.
  if (places.length === 0) return [{ op: "add", path: "/metadata/labels", value: { a: "b" } }]
  return draw.times(1, 4, () => drawOperation(draw, places))
}

function drawOperation(draw: Draw, places: readonly Place[]): JsonPatchOperation {
  const place = draw.pick(places)
  const value = () => (draw.chance(0.05) ? null : drawValue(draw, place.schema, place.field))
  switch (draw.pick(["add", "add", "replace", "replace", "replace", "remove", "move", "copy", "test"] as const)) {
    case "add":
      return drawAddition(draw, place)
    case "replace":
      return draw.chance(0.06)
        ? { op: "replace", path: strange(draw, place.pointer), value: value() }
        : { op: "replace", path: place.pointer, value: value() }
    case "remove":
      return { op: "remove", path: draw.chance(0.1) ? strange(draw, place.pointer) : place.pointer }
    case "move":
      return { op: "move", from: draw.chance(0.1) ? strange(draw, place.pointer) : place.pointer, path: sibling(draw, place.pointer) }
    case "copy":
      return { op: "copy", from: draw.chance(0.1) ? strange(draw, place.pointer) : place.pointer, path: sibling(draw, place.pointer) }
    case "test":
      return {
        op: "test",
        path: draw.chance(0.1) ? strange(draw, place.pointer) : place.pointer,
        value: draw.chance(0.8) ? place.value : value(),
      }
  }
}

function drawAddition(draw: Draw, place: Place): JsonPatchOperation {
  if (draw.chance(0.03)) return { op: "add", path: strange(draw, place.pointer), value: draw.pick(["1", null, {}]) }
  if (Array.isArray(place.value)) {
    const at = draw.pick(["-", "0", String(place.value.length), "-1", "-2", "01", "+1", "99"].slice(0, draw.chance(0.9) ? 3 : 8))
    return { op: "add", path: `${place.pointer}/${at}`, value: drawValue(draw, place.schema.items ?? { type: "any" }, place.field) }
  }
  if (place.schema.type === "map")
    return { op: "add", path: `${place.pointer}/${draw.pick(["a", "new", "x~1y", "m~0n", ""])}`, value: draw.pick(["1", "two", ""]) }
  const [name, field] = draw.pick(Object.entries(place.schema.fields ?? { unknown: { schema: { type: "string" } } }))
  if (place.schema.type === "object" && !isOffLimits(`${withoutIndexes(place.pointer)}.${name}`)) {
    return { op: "add", path: `${place.pointer}/${name}`, value: drawValue(draw, field.schema, name) }
  }
  return { op: "add", path: place.pointer, value: drawValue(draw, place.schema, place.field) }
}

/** Every place in an object but those that identify it. */
function placesIn(value: JsonObject, schema: Schema): Place[] {
  const places: Place[] = []
  const visit = (here: unknown, part: Schema, pointer: string, field: string) => {
    if (isOffLimits(withoutIndexes(pointer))) return
    if (pointer !== "" && pointer !== "/metadata") places.push({ pointer, field, schema: part, value: here })
    if (Array.isArray(here)) here.forEach((one, index) => visit(one, part.items ?? { type: "any" }, `${pointer}/${index}`, field))
    else if (typeof here === "object" && here !== null) {
      for (const [name, one] of Object.entries(here))
        visit(one, part.fields?.[name]?.schema ?? part.items ?? { type: "any" }, `${pointer}/${escaped(name)}`, name)
    }
  }
  visit(value, schema, "", "")
  return places
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1")
}

function withoutIndexes(pointer: string): string {
  return pointer.replaceAll(/\/\d+(?=\/|$)/g, "").replaceAll("/", ".")
}

/** A place beside it: another element of its list, another key of its object. */
function sibling(draw: Draw, pointer: string): string {
  const parent = pointer.slice(0, pointer.lastIndexOf("/"))
  const numbered = /\/\d+$/.test(pointer)
  return `${parent}/${numbered ? draw.pick(["0", "1", "-"]) : draw.pick(["a", "b", "copied"])}`
}

/** Pointers that the server is not likely to like. */
function strange(draw: Draw, pointer: string): string {
  return draw.pick([
    "",
    "absent",
    `${pointer}/absent`,
    `${pointer}/absent/deeper`,
    `${pointer}x`,
    pointer.slice(1),
    `${pointer}/-`,
    `${pointer}/-1`,
    `${pointer}/99`,
    `${pointer}/~2`,
    `${pointer}/01`,
    `${pointer}/+0`,
    `${pointer}/-0`,
    `${pointer}/1e0`,
    `${pointer}/`,
  ])
}
