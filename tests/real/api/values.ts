import type { Schema } from "@pilothouse/api"
import type { Draw } from "./draw.ts"
import { typedValues, words } from "./typed-values.ts"

const deepest = 3

/** A value that the schema allows where a field of this name stands. Now and then one that it does not. */
export function drawValue(draw: Draw, schema: Schema, field: string, depth = 0): unknown {
  if (draw.chance(0.02)) return draw.pick(isScalar(schema) ? wrongScalars : [...wrongScalars, [], {}, ["x"], [{ a: 1 }]])
  const typed = schema.name === undefined ? undefined : typedValues[schema.name]
  if (typed !== undefined && (schema.name === "ObjectMeta" || draw.chance(0.85))) return typed(draw)
  switch (schema.type) {
    case "list":
      return draw.times(0, depth < deepest ? 2 : 0, () => drawValue(draw, schema.items ?? { type: "any" }, field, depth + 1))
    case "map":
      return Object.fromEntries(
        draw.times(0, 2, () => [draw.pick(words), drawValue(draw, schema.items ?? { type: "string" }, field, depth + 1)]),
      )
    case "object":
      return drawObject(draw, schema, depth)
    default:
      return drawScalar(draw, schema, field)
  }
}

// No lists or objects in place of these: as the key of a merged list they make the real server panic, because Go cannot compare them.
const wrongScalars = ["text", 7, true]

function isScalar({ type }: Schema): boolean {
  return type !== "object" && type !== "map" && type !== "list"
}

function drawObject(draw: Draw, schema: Schema, depth: number): unknown {
  const fields = Object.entries(schema.fields ?? {})
  const chosen = fields.filter(([, { required }]) => required === true || (depth < deepest && draw.chance(1.5 / fields.length)))
  return Object.fromEntries(chosen.map(([name, field]) => [name, drawValue(draw, field.schema, name, depth + 1)]))
}

/** Where any text will not do. */
const byField: Readonly<Record<string, (draw: Draw) => unknown>> = {
  image: (draw) => `registry.test/${draw.pick(words)}:${draw.int(1, 9)}`,
  ip: (draw) => `10.0.0.${draw.int(1, 200)}`,
  mountPath: (draw) => `/${draw.pick(words)}`,
  path: (draw) => `/${draw.pick(words)}`,
  finalizers: (draw) => `test/${draw.pick(["a", "b", "c", "d"])}`,
  port: (draw) => draw.int(1, 9999),
  restartPolicy: () => "Always",
  maxReplicas: (draw) => draw.int(3, 9),
  schedule: (draw) => `${draw.int(0, 59)} * * * *`,
}

function drawScalar(draw: Draw, schema: Schema, field: string): unknown {
  const special = byField[field]
  if (special !== undefined && draw.chance(0.9)) return special(draw)
  if (schema.enum !== undefined && draw.chance(0.95)) return draw.pick(schema.enum)
  switch (schema.type) {
    case "integer":
      return draw.int(draw.chance(0.1) ? -1 : 1, 20)
    case "number":
      return draw.int(1, 20) / 4
    case "boolean":
      return draw.chance(0.5)
    case "any":
      return draw.pick([{ a: 1, n: null }, [1, "x"], "text"])
    default:
      return drawText(draw, schema.format)
  }
}

function drawText(draw: Draw, format: string | undefined): unknown {
  switch (format) {
    case "quantity":
      return draw.pick(["1", "100m", "2Gi", "0.5", "1500Mi", "1e3", 2])
    case "int-or-string":
      return draw.pick([1, 3, "25%", "50%", "http"])
    case "byte":
      return draw.pick(["AAEC", "aGVsbG8=", ""])
    case "date-time":
      return "2024-05-06T07:08:09Z"
    case "micro-time":
      return "2024-05-06T07:08:09.123456Z"
    default:
      return draw.pick(words)
  }
}
