import type { Field, Schema } from "@pilothouse/api"
import type { Draw } from "./draw.ts"
import { isOffLimits } from "./identity-fields.ts"
import { isRecord, type JsonObject } from "./objects/object.ts"
import { drawListPatch } from "./strategic-list-patches.ts"
import { drawValue } from "./values.ts"

/** A strategic merge patch for this object, with any of the directives; it speaks mostly of what is there. */
export function drawStrategicPatch(draw: Draw, schema: Schema, live: JsonObject, path = ""): JsonObject {
  const patch: Record<string, unknown> = {}
  for (const name of chosenFields(draw, schema, live, path)) {
    const field = schema.fields?.[name] ?? { schema: schema.items ?? { type: "string" as const } }
    drawFieldPatch(draw, { name, field, live: live[name], into: patch, path: `${path}.${name}` })
  }
  if (path !== "" && draw.chance(0.03)) patch.$patch = draw.pick(["replace", "replace", "delete", "merge", "wrong"])
  else if (path !== "" && draw.chance(0.05))
    patch.$retainKeys = draw.shuffled([...Object.keys(patch).filter((key) => !key.startsWith("$")), ...draw.some(Object.keys(live), 3)])
  return patch
}

/** Mostly fields that the object has, and of those the ones that hold more. */
export function chosenFields(draw: Draw, schema: Schema, live: JsonObject, path: string): string[] {
  const allowed = (name: string) => !isOffLimits(`${path}.${name}`)
  const present = Object.keys(live).filter(allowed)
  const holders = present.filter((name) => typeof live[name] === "object")
  const known = schema.type === "map" ? ["a", "b", "app", "new"] : Object.keys(schema.fields ?? {}).filter(allowed)
  const chosen = [...draw.some(present, 2), ...draw.some(holders, 1), ...(draw.chance(0.2) ? draw.some(known, 1) : [])]
  return [...new Set(chosen)]
}

interface FieldPatch {
  readonly name: string
  readonly field: Field
  readonly live: unknown
  readonly into: Record<string, unknown>
  readonly path: string
}

function drawFieldPatch(draw: Draw, { name, field, live, into, path }: FieldPatch): void {
  if (draw.chance(0.07)) into[name] = null
  else if (Array.isArray(live) && field.patchStrategy?.includes("merge") === true) {
    const drawChange = (element: JsonObject) => drawStrategicPatch(draw, field.schema.items ?? { type: "any" }, element, path)
    drawListPatch(draw, { name, field, live, into, drawChange })
  } else if (isRecord(live) && draw.chance(0.95)) into[name] = drawStrategicPatch(draw, field.schema, live, path)
  else if (Array.isArray(live) && draw.chance(0.3)) into[name] = draw.shuffled(live)
  else into[name] = drawValue(draw, field.schema, name)
}
