// Random values of a schema: mostly what it asks for, sometimes something else.
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import type { Draw } from "../api/draw.ts"
import { names, numbers, texts } from "./objects-schemas.ts"

/** A value for a schema, of which about one part in ten is not what the schema asks for. */
export function drawValue(draw: Draw, schema: JSONSchemaProps): unknown {
  // A list passes for a text with a format, but its owner is not recorded: upstream's two readers of schemas disagree.
  if (draw.chance(0.05)) return anyValue(draw, schema.format === undefined ? 2 : 0)
  if (schema.enum !== undefined && draw.chance(0.6)) return draw.pick(schema.enum)
  if (schema["x-kubernetes-int-or-string"]) return draw.chance(0.5) ? draw.pick([0, 5, 80]) : draw.pick(texts)
  switch (schema.type) {
    case "string":
      return draw.pick(texts)
    case "integer":
      return draw.chance(0.8) ? draw.int(-1, 6) : draw.pick(numbers)
    case "number":
      return draw.pick(numbers)
    case "boolean":
      return draw.chance(0.5)
    case "array":
      return draw.times(0, 3, () => drawValue(draw, (schema.items as JSONSchemaProps | undefined) ?? {}))
    case "object":
      return drawObject(draw, schema)
    default:
      return anyValue(draw, 2)
  }
}

function drawObject(draw: Draw, schema: JSONSchemaProps): unknown {
  const { properties = {}, additionalProperties } = schema
  const object: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties)) if (draw.chance(0.7)) object[name] = drawValue(draw, property)
  if (typeof additionalProperties === "object") {
    for (const name of draw.some(names, 2)) object[name] = drawValue(draw, additionalProperties)
  } else if (draw.chance(0.15)) {
    const name = draw.pick(["unknown", ...names])
    if (!Object.hasOwn(properties, name)) object[name] = anyValue(draw, 2)
  }
  if (schema["x-kubernetes-embedded-resource"]) Object.assign(object, drawResource(draw))
  return object
}

function drawResource(draw: Draw): object {
  return {
    ...(draw.chance(0.9) && { apiVersion: draw.pick(["v1", "apps/v1", "apps/v1", "", "a/b/c"]) }),
    ...(draw.chance(0.9) && { kind: draw.pick(["Pod", "Pod", "", "9x"]) }),
    ...(draw.chance(0.7) && { metadata: drawMetadata(draw) }),
  }
}

function drawMetadata(draw: Draw): unknown {
  return draw.pick<unknown>([
    {},
    { name: "x" },
    { name: "x", labels: { a: "b" } },
    { name: "a/b", finalizers: ["x"] },
    { labels: { "-": "b" } },
    { name: "x", unknown: 1 },
    { name: "x", namespace: "N", generation: -1 },
    null,
  ])
}

/** Any JSON, of so many levels. */
export function anyValue(draw: Draw, depth: number): unknown {
  const scalar = () => draw.pick<unknown>([null, true, false, ...texts, ...numbers])
  if (depth <= 0 || draw.chance(0.6)) return scalar()
  if (draw.chance(0.4)) return draw.times(0, 2, () => anyValue(draw, depth - 1))
  return Object.fromEntries(draw.some(names, 2).map((name) => [name, anyValue(draw, depth - 1)]))
}
