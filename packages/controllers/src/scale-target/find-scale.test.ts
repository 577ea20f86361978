import { type Descriptor, notFound, unexpectedResponse } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import type { Reader } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { findScale, hasScales, parseGroupVersion } from "./find-scale.ts"

const widgets = (version: string) => ({ ...deployments, group: "example.com", version, kind: "Widget", plural: "widgets" }) as Descriptor

interface World {
  readonly versions: readonly Descriptor[]
  /** By path: how many replicas, or the failure. */
  readonly scales: Readonly<Record<string, number | Error>>
}

function world({ versions, scales }: World): { readonly read: Reader; readonly asked: string[] } {
  const asked: string[] = []
  const read: Partial<Reader> = {
    versionsOf: async (group, kind) => versions.filter((of) => of.group === group && of.kind === kind),
    discovered: async () => {
      asked.push("discovery")
      return { resources: [], failed: [] }
    },
    ask: async ({ path }) => {
      asked.push(path)
      const found = scales[path] ?? notFound(widgets("v1"), "web")
      if (typeof found !== "number") throw found
      return { spec: { replicas: found } }
    },
  }
  return { read: read as Reader, asked }
}

const target = { apiVersion: "example.com/v1", kind: "Widget", name: "web", namespace: "default" }
const path = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets/web/scale`

describe("findScale", () => {
  test("whatever version was named, the server's favourite is asked first", async () => {
    const { read, asked } = world({ versions: [widgets("v2"), widgets("v1")], scales: { [path("v2")]: 3 } })
    expect(await findScale(read, target)).toMatchObject({ of: { version: "v2" }, scale: { spec: { replicas: 3 } } })
    expect(asked).toEqual([path("v2")])
  })

  test("every version is tried, and the first failure told", async () => {
    const { read, asked } = world({ versions: [widgets("v2"), widgets("v1")], scales: { [path("v1")]: 3 } })
    expect(await findScale(read, target)).toMatchObject({ of: { version: "v1" } })
    expect(asked).toEqual([path("v2"), path("v1")])
    const none = world({
      versions: [widgets("v2"), widgets("v1")],
      scales: { [path("v2")]: new Error("first"), [path("v1")]: new Error("second") },
    })
    await expect(findScale(none.read, target)).rejects.toThrow("first")
  })

  test("a kind that the server does not have", async () => {
    const { read } = world({ versions: [], scales: {} })
    await expect(findScale(read, target)).rejects.toThrow('no matches for kind "Widget" in group "example.com"')
  })

  test("a resource that went since discovery is looked for again", async () => {
    const failure = unexpectedResponse({ code: 404, method: "GET", body: "404 page not found" })
    const { read, asked } = world({ versions: [widgets("v1")], scales: { [path("v1")]: failure } })
    await expect(findScale(read, target)).rejects.toBe(failure)
    expect(asked).toEqual([path("v1"), "discovery"])
  })

  test("an object that is missing is no reason for that", async () => {
    const { read, asked } = world({ versions: [widgets("v1")], scales: {} })
    await expect(findScale(read, target)).rejects.toThrow('"web" not found')
    expect(asked).toEqual([path("v1")])
  })
})

test("groupVersionOf", () => {
  expect(parseGroupVersion("apps/v1")).toEqual({ group: "apps", version: "v1" })
  expect(parseGroupVersion("v1")).toEqual({ group: "", version: "v1" })
  expect(parseGroupVersion(undefined)).toEqual({ group: "", version: "" })
  expect(() => parseGroupVersion("a/b/c")).toThrow("unexpected GroupVersion string: a/b/c")
})

test("hasScales", () => {
  expect(hasScales(deployments as Descriptor)).toBe(true)
  expect(hasScales({ ...deployments, subresources: [] } as Descriptor)).toBe(false)
})
