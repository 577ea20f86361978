import { horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v1"
import { configMaps, namespaces, nodes, pods } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { CustomResources } from "../../customresources/custom-resources.ts"
import { createRegistry } from "../../registry/registry.ts"
import { memoryStorage } from "../../storage/memory.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { type MatchOptions, requestMatcher } from "./match-request.ts"
import type { MatchRule } from "./rules.ts"

const storage = memoryStorage()
const registry = createRegistry({ customResources: new CustomResources(storage) })
await storage.commit([
  {
    key: "/registry/namespaces/shop",
    make: () => ({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { team: "shop" } } }),
  },
])

function request(about: Partial<Omit<AdmissionAttributes, "resource">> & { readonly of?: object }): AdmissionAttributes {
  const { of = pods, ...rest } = about
  const resource = registry.served(of as typeof pods)
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels: { app: "web" } } }
  const known = { server: { storage, registry }, operation: "CREATE", subresource: "", namespace: "shop", name: "web", old: undefined }
  return { ...known, object, resource, ...rest } as unknown as AdmissionAttributes
}

const everything: readonly MatchRule[] = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }]
const matched = (options: Partial<MatchOptions>, about: Parameters<typeof request>[0] = {}) => {
  const found = requestMatcher({ rules: everything, ...options })(request(about))
  return found && `${found.descriptor.group}/${found.descriptor.version}`
}
const team = (name: string) => ({ namespaceSelector: { matchLabels: { team: name } } })
const app = (name: string) => ({ objectSelector: { matchLabels: { app: name } } })

describe("namespaces", () => {
  test.each([
    ["the labels of the namespace", team("shop"), {}, "/v1"],
    ["other labels", team("bank"), {}, undefined],
    ["an object of the whole cluster matches every selector", team("bank"), { of: nodes, namespace: undefined }, "/v1"],
    [
      "a new namespace has its own labels",
      team("new"),
      { of: namespaces, namespace: undefined, name: "n", object: { metadata: { labels: { team: "new" } } } as never },
      "/v1",
    ],
    [
      "a deleted one has those that are stored",
      team("shop"),
      { of: namespaces, namespace: undefined, name: "shop", operation: "DELETE" as const, object: undefined },
      "/v1",
    ],
    ["one that does not exist is not looked at by rules that do not match", { ...team("x"), rules: [] }, { namespace: "none" }, undefined],
    ["nor by the selector of everything", {}, { namespace: "none" }, "/v1"],
  ])("%s", (_, options, about, expected) => {
    expect(matched(options, about)).toBe(expected)
  })

  test("a namespace that does not exist is a 404 where the rules match", () => {
    expect(() => matched(team("x"), { namespace: "none" })).toThrow('namespaces "none" not found')
  })
})

describe("objects", () => {
  const old = { apiVersion: "v1", kind: "Pod", metadata: { labels: { app: "before" } } }
  test.each([
    ["the labels of the object", app("web"), {}, "/v1"],
    ["other labels", app("api"), {}, undefined],
    ["the labels that an update takes away", app("before"), { operation: "UPDATE" as const, old }, "/v1"],
    ["the labels of a deleted object", app("before"), { operation: "DELETE" as const, object: undefined, old }, "/v1"],
    ["no object matches no selector but the empty one", app("web"), { object: undefined }, undefined],
    [
      "options of a connection have no labels",
      app("web"),
      { operation: "CONNECT" as const, object: { command: ["ls"] } as never },
      undefined,
    ],
  ])("%s", (_, options, about, expected) => {
    expect(matched(options, about)).toBe(expected)
  })
})

describe("equivalent versions", () => {
  const rules: readonly MatchRule[] = [
    { operations: ["CREATE"], apiGroups: ["autoscaling"], apiVersions: ["v2"], resources: ["horizontalpodautoscalers"] },
  ]
  const about = { of: horizontalPodAutoscalers }
  test.each([
    ["a rule for another version of the same objects", { rules }, about, "autoscaling/v2"],
    ["the request's own version goes first", { rules: [...rules, ...everything] }, about, "autoscaling/v1"],
    ["Exact looks at the request's own version alone", { rules, matchPolicy: "Exact" }, about, undefined],
    ["a kind of one version", { rules }, { of: configMaps }, undefined],
  ])("%s", (_, options, of, expected) => {
    expect(matched(options, of)).toBe(expected)
  })
})

test("excluded rules win", () => {
  const pod: readonly MatchRule[] = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }]
  expect(matched({ excludeRules: pod })).toBeUndefined()
  expect(matched({ excludeRules: pod }, { of: configMaps })).toBe("/v1")
})
