import type { Schema } from "@pilothouse/api"
import type { Draw } from "./draw.ts"
import { isRecord, type JsonObject } from "./objects/object.ts"
import { chosenFields } from "./strategic-patches.ts"
import { drawValue } from "./values.ts"

/** An RFC 7386 patch for this object: it descends into objects, and replaces lists as a whole. */
export function drawMergePatch(draw: Draw, schema: Schema, live: JsonObject, path = ""): JsonObject {
  const patch: Record<string, unknown> = {}
  for (const name of chosenFields(draw, schema, live, path)) {
    const part = schema.fields?.[name]?.schema ?? schema.items ?? { type: "string" as const }
    const current = live[name]
    if (draw.chance(0.12)) patch[name] = null
    else if (isRecord(current) && draw.chance(0.95)) patch[name] = drawMergePatch(draw, part, current, `${path}.${name}`)
    else if (Array.isArray(current) && draw.chance(0.7)) patch[name] = drawList(draw, part, name, current)
    else patch[name] = drawValue(draw, part, name)
  }
  return patch
}

/** Elements that were there, some of them changed, and new ones; objects in it may carry nulls, which the server drops. */
function drawList(draw: Draw, schema: Schema, name: string, current: readonly unknown[]): unknown[] {
  const items = schema.items ?? { type: "any" as const }
  const kept = draw
    .some(current, 3)
    .map((element) =>
      isRecord(element) && draw.chance(0.4) ? { ...element, ...drawMergePatch(draw, items, element, `.${name}`) } : element,
    )
  return [...kept, ...(draw.chance(0.4) ? [drawValue(draw, items, name)] : [])]
}
