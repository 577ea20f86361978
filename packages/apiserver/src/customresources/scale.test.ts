import type { KubeObject } from "@pilothouse/api"
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"
import { describe, expect, test } from "vitest"
import { draftOf } from "../body/draft.ts"
import type { ManagedFields } from "../managedfields/object-managed-fields.ts"
import { fromScale, toScale } from "../managedfields/scale-managed-fields.ts"
import { customScale, validateScale } from "./scale.ts"

const scale = { specReplicasPath: ".spec.size.want", statusReplicasPath: ".status.have", labelSelectorPath: ".status.selector" }
const v1: CustomResourceDefinitionVersion = { name: "v1", served: true, storage: true, subresources: { scale } }
const v2: CustomResourceDefinitionVersion = {
  name: "v2",
  served: true,
  storage: false,
  subresources: { scale: { ...scale, specReplicasPath: ".spec.replicas" } },
}
const v3: CustomResourceDefinitionVersion = { name: "v3", served: true, storage: false }

const definition = { spec: { group: "example.com", versions: [v1, v2, v3] } } as unknown as CustomResourceDefinition
const scalable = customScale(definition, v1)!

function object(spec: unknown, status: unknown = {}): KubeObject {
  return { apiVersion: "example.com/v1", kind: "Fleet", metadata: { name: "f" }, spec, status } as unknown as KubeObject
}

function failure(action: () => unknown): readonly [code: number | undefined, message: string] {
  try {
    return [0, JSON.stringify(action())]
  } catch (error) {
    return [(error as { statusCode?: number }).statusCode, (error as Error).message]
  }
}

describe("the scale of a custom resource", () => {
  test("is read by the paths of the definition", () => {
    expect(scalable.read(object({ size: { want: 3 } }, { have: 2, selector: "a=b" }))).toEqual({
      replicas: 3,
      statusReplicas: 2,
      selector: "a=b",
    })
    expect(scalable.read(object({}))).toEqual({ replicas: undefined, statusReplicas: 0, selector: "" })
    expect(scalable.read(object({ size: null }, null))).toEqual({ replicas: undefined, statusReplicas: 0, selector: "" })
  })

  test("is undefined for a version without one", () => {
    expect(customScale(definition, v3)).toBeUndefined()
  })

  test.each([
    [{ size: { want: "3" } }, {}, ".spec.size.want accessor error: 3 is of the type string, expected int64"],
    [{ size: { want: 1.5 } }, {}, ".spec.size.want accessor error: 1.5 is of the type float64, expected int64"],
    [{ size: { want: null } }, {}, ".spec.size.want accessor error: <nil> is of the type <nil>, expected int64"],
    [{ size: [1] }, {}, ".spec.size.want accessor error: [1] is of the type []interface {}, expected map[string]interface{}"],
    [{}, { have: {} }, ".status.have accessor error: map[] is of the type map[string]interface {}, expected int64"],
    [{}, { selector: true }, ".status.selector accessor error: true is of the type bool, expected string"],
  ])("refuses %j with %j", (spec, status, message) => {
    expect(failure(() => scalable.read(object(spec, status)))).toEqual([500, message])
  })

  test("is written by the path of the definition, whose parts are made where they are missing", () => {
    const draft = draftOf(object({ other: 1 }))
    scalable.write(draft, 5)
    expect(draft).toMatchObject({ spec: { other: 1, size: { want: 5 } } })
    expect(failure(() => scalable.write(draftOf(object({ size: 1 })), 5))).toEqual([
      500,
      "value cannot be set because .spec.size is not a map[string]interface{}",
    ])
  })

  test("names the path of replicas that are missing", () => {
    expect(scalable.missing("get")).toMatchObject({
      statusCode: 500,
      message: 'Internal error occurred: the spec replicas field ".spec.size.want" does not exist',
    })
    expect(scalable.missing("patch")).toMatchObject({
      statusCode: 400,
      message: 'the spec replicas field ".spec.size.want" cannot be empty',
    })
  })
})

describe("a custom resource with a scale", () => {
  const wrong = (spec: unknown, status: unknown = {}, part: "all" | "status" = "all") =>
    validateScale(v1, object(spec, status), part).map(({ field, message }) => `${field}: ${message}`)

  test.each([
    [{ size: { want: 3 } }, { have: 2147483647, selector: "a" }, []],
    [{}, {}, []],
    [{ size: { want: -1 } }, {}, [".spec.size.want: Invalid value: -1: should be a non-negative integer"]],
    [{ size: { want: 2147483648 } }, {}, [".spec.size.want: Invalid value: 2147483648: should be less than or equal to 2147483647"]],
    [
      { size: { want: "x" } },
      { have: -5, selector: 3 },
      [
        ".spec.size.want: Invalid value: 0: .spec.size.want accessor error: x is of the type string, expected int64",
        ".status.have: Invalid value: -5: should be a non-negative integer",
        '.status.selector: Invalid value: "": .status.selector accessor error: 3 is of the type int64, expected string',
      ],
    ],
  ])("of %j and %j is validated", (spec, status, expected) => {
    expect(wrong(spec, status)).toEqual(expected)
  })

  test("is validated without its spec where the status is written", () => {
    expect(wrong({ size: { want: -1 } }, { have: -1 }, "status")).toEqual([
      ".status.have: Invalid value: -1: should be a non-negative integer",
    ])
  })

  test("is not looked at where the version has no scale", () => {
    expect(validateScale(v3, object({ size: { want: -1 } }))).toEqual([])
  })
})

describe("the managers of a custom resource's replicas", () => {
  const entry = (manager: string, apiVersion: string, fieldsV1: ManagedFields["fieldsV1"]): ManagedFields => ({
    manager,
    operation: "Update",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1,
  })
  const own = { "f:spec": { "f:size": { "f:want": {} } } }
  const entries = [
    entry("first", "example.com/v1", { "f:spec": { "f:size": { "f:want": {} }, "f:color": {} } }),
    entry("second", "example.com/v2", { "f:spec": { "f:replicas": {} } }),
    entry("third", "example.com/v3", { "f:spec": { "f:size": { "f:want": {} } } }),
    entry("gone", "example.com/v0", own),
  ]
  const paths = scalable.replicasPaths

  test("are those of the scale in every version that has one", () => {
    expect(toScale(entries, paths)).toMatchObject([
      { manager: "first", apiVersion: "autoscaling/v1", fieldsV1: { "f:spec": { "f:replicas": {} } } },
      { manager: "second", apiVersion: "autoscaling/v1", fieldsV1: { "f:spec": { "f:replicas": {} } } },
    ])
  })

  test("lose them to a manager that wrote the scale", () => {
    const taken = [entry("scaler", "autoscaling/v1", { "f:spec": { "f:replicas": {} } })]
    const joined = fromScale(entries, taken, { apiVersion: "example.com/v1", paths })
    expect(Object.fromEntries(joined.map(({ manager, fieldsV1 }) => [manager, fieldsV1]))).toEqual({
      first: { "f:spec": { "f:color": {} } },
      third: own,
      scaler: own,
    })
  })
})
