import { schemaOf } from "@pilothouse/api/schemas"
import { expect, test } from "vitest"
import { pathTexts } from "../testing/history.ts"
import { modifiedInMemory, type ValuePath } from "./variant-lists.ts"

const v1 = (kind: string) => schemaOf({ group: "", version: "v1", kind })!
const networking = (kind: string) => schemaOf({ group: "networking.k8s.io", version: "v1", kind })!
const pod = { spec: { containers: [{ name: "a", args: [] }], tolerations: [{ key: "x" }] } }
const policy = { spec: { podSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] } } }

test.each<[string, object, ReturnType<typeof v1>, ValuePath, readonly string[]]>([
  [
    "a quantity in a list that is owned as a whole",
    { spec: { limits: [{ max: { storage: "1Ti" } }] } },
    v1("LimitRange"),
    ["spec", "limits", 0, "max", "storage"],
    [".spec.limits"],
  ],
  [
    "a value in a list inside of a map that is owned as a whole",
    policy,
    networking("NetworkPolicy"),
    ["spec", "podSelector", "matchExpressions", 0, "values"],
    [".spec.podSelector"],
  ],
  [
    "no empty map in a map that is owned as a whole: such are compared key by key",
    policy,
    networking("NetworkPolicy"),
    ["spec", "podSelector", "matchLabels"],
    [],
  ],
  ["no empty list that is owned as a whole itself", pod, v1("Pod"), ["spec", "containers", 0, "args"], []],
  ["no value in a list of items with owners of their own", pod, v1("Pod"), ["spec", "containers", 0, "resources", "limits"], []],
  [
    "a list that is written as null where there is none",
    { rules: [] },
    schemaOf({ group: "rbac.authorization.k8s.io", version: "v1", kind: "Role" })!,
    ["rules"],
    [".rules"],
  ],
  ["nothing where the request has nothing any more", {}, v1("LimitRange"), ["spec", "limits", 0, "max", "storage"], []],
])("finds %s", (_title, object, schema, path, expected) => {
  expect(pathTexts(modifiedInMemory(object, schema, [path]))).toEqual(expected)
})
