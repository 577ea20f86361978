import { expect, test } from "vitest"
import { constantName } from "./descriptors.ts"
import { generate } from "./generate.ts"
import { differences } from "./generated-file.ts"
import { readGoLiteral } from "./go-literal.ts"
import { type GoModules, goModules } from "./go-modules.ts"

test("what is committed is what npm run generate writes", (context) => {
  const modules = cachedModules()
  if (modules instanceof Error) {
    // The default reporter counts skipped tests without their reasons.
    console.log(`skipped: ${modules.message}`)
    return context.skip(modules.message)
  }
  expect(differences(generate(modules))).toEqual([])
})

function cachedModules(): GoModules | Error {
  try {
    return goModules({ from: "cached" })
  } catch (error) {
    return error as Error
  }
}

test.each([
  ["Pod", "pods", "pods"],
  ["PersistentVolumeClaim", "persistentvolumeclaims", "persistentVolumeClaims"],
  ["NetworkPolicy", "networkpolicies", "networkPolicies"],
  ["IngressClass", "ingressclasses", "ingressClasses"],
  ["Endpoints", "endpoints", "endpoints"],
  ["APIService", "apiservices", "apiServices"],
  ["CSIStorageCapacity", "csistoragecapacities", "csiStorageCapacities"],
  ["IPAddress", "ipaddresses", "ipAddresses"],
  ["ServiceCIDR", "servicecidrs", "serviceCIDRs"],
  ["PodMetrics", "pods", "podMetrics"],
])("the resource of kind %s, %s, is exported as %s", (kind, name, expected) => {
  expect(constantName({ kind, name })).toBe(expected)
})

test("Go literals are read as data", () => {
  const source = `Schema: spec.Schema{
    SchemaProps: spec.SchemaProps{
      Type:  []string{"object"}, // a comment
      Enum:  []interface{}{"a \\"b\\"", 1, true},
      Items: &spec.SchemaOrArray{Schema: &spec.Schema{SchemaProps: spec.SchemaProps{Default: map[string]interface{}{}}}},
      Properties: map[string]spec.Schema{"x": {SchemaProps: spec.SchemaProps{Ref: ref(v1.Time{}.OpenAPIModelName())}}},
      Other: v1.JSON{}.OpenAPISchemaType(),
    },
  }`
  expect(readGoLiteral(source, "Schema: ".length)).toMatchObject({
    SchemaProps: {
      Type: ["object"],
      Enum: ['a "b"', 1, true],
      Items: { Schema: { SchemaProps: { Default: {} } } },
      Properties: { x: { SchemaProps: { Ref: { source: "v1.Time{}.OpenAPIModelName()" } } } },
      Other: { source: ".OpenAPISchemaType()" },
    },
  })
})

test("a Go literal that is none says where", () => {
  expect(() => readGoLiteral("T{A: ]}", 0)).toThrow('a value was expected at "]}"')
})
