import { metaPackage } from "./openapi.ts"
import type { OpenApiSchema } from "./openapi-schema.ts"

/** What stands in a field, with references to well-known scalars already resolved. */
export type Shape =
  | { readonly is: "scalar"; readonly scalar: Scalar; readonly enum?: readonly string[] }
  | { readonly is: "type"; readonly id: string; readonly mapType?: "atomic" | "granular" }
  | {
      readonly is: "list"
      readonly items: Shape
      readonly listType?: "atomic" | "set" | "map"
      readonly keys?: readonly string[]
    }
  | { readonly is: "map"; readonly items: Shape; readonly mapType?: "atomic" | "granular" }

export type Scalar =
  | "string"
  | "boolean"
  | "number"
  | "double"
  | "int32"
  | "int64"
  | "byte"
  | "date-time"
  | "micro-time"
  | "duration"
  | "quantity"
  | "int-or-string"
  | "raw"
  | "any"

/** Types that are one JSON value, whatever Go makes of them. */
const wellKnown: Readonly<Record<string, Scalar>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "int-or-string",
  "io.k8s.apimachinery.pkg.runtime.RawExtension": "raw",
  [`${metaPackage}.Time`]: "date-time",
  [`${metaPackage}.MicroTime`]: "micro-time",
  [`${metaPackage}.Duration`]: "duration",
}

export const isWellKnown = (id: string): boolean => id in wellKnown

export function shapeOf(schema: OpenApiSchema): Shape {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref
  if (reference !== undefined) return referenceShape(reference.slice(reference.lastIndexOf("/") + 1), schema)
  if (schema.type === "array") {
    const keys = schema["x-kubernetes-list-map-keys"]
    return { is: "list", items: shapeOf(schema.items ?? {}), listType: schema["x-kubernetes-list-type"], keys }
  }
  if (schema.additionalProperties !== undefined) {
    return { is: "map", items: shapeOf(schema.additionalProperties), mapType: schema["x-kubernetes-map-type"] }
  }
  return { is: "scalar", scalar: scalarOf(schema), enum: schema.enum }
}

function referenceShape(id: string, schema: OpenApiSchema): Shape {
  const scalar = wellKnown[id]
  return scalar === undefined ? { is: "type", id, mapType: schema["x-kubernetes-map-type"] } : { is: "scalar", scalar }
}

function scalarOf({ type, format }: OpenApiSchema): Scalar {
  switch (type) {
    case "boolean":
      return type
    case "string":
      return format === "byte" ? "byte" : "string"
    case "integer":
      return format === "int32" ? "int32" : "int64"
    case "number":
      return format === "double" ? "double" : "number"
    default:
      return "any"
  }
}
