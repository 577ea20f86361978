import type { KubeObject } from "@pilothouse/api"
import type { BytesBody, Transport } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { statusIn, testServer } from "../testing/server.ts"
import { checkObjectSize, mayBeLarge } from "./object-size.ts"

const mebibyte = 1024 * 1024
const tooLarge = { message: "etcdserver: request is too large", code: 500 }

function json(value: unknown, contentType = "application/json"): BytesBody {
  return { type: "bytes", bytes: Buffer.from(JSON.stringify(value)), contentType }
}

/** As over a socket: the body comes as bytes. */
function asking(transport: Transport) {
  return (verb: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: BytesBody) =>
    transport({ verb, path, query: {}, headers: { "content-type": body?.contentType ?? "" }, body })
}

const path = "/api/v1/namespaces/default/pods"
const pod = (name: string, letters: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "a", image: "b", env: [{ name: "LARGE", value: "x".repeat(letters) }] }] },
})

describe.each(["in process", "on disk"] as const)("an object that etcd would refuse, %s", (way) => {
  test("is refused with upstream's answer, and nothing is stored", async () => {
    const { server, get } = testServer(way)
    const ask = asking(server.transport())
    expect(statusIn(await ask("POST", path, json(pod("large", 1.6 * mebibyte))))).toMatchObject(tooLarge)
    expect((await get(`${path}/large`)).status).toBe(404)
    expect((await ask("POST", path, json(pod("fits", 1.4 * mebibyte)))).status).toBe(201)
    await server.close()
  })

  test("is refused where a small patch makes it so large", async () => {
    const { server, get } = testServer(way)
    const ask = asking(server.transport())
    expect((await ask("POST", path, json(pod("grows", 1.4 * mebibyte)))).status).toBe(201)
    const patch = { metadata: { annotations: { more: "y".repeat(200_000) } } }
    const refused = await ask("PATCH", `${path}/grows`, json(patch, "application/merge-patch+json"))
    expect(statusIn(refused)).toMatchObject(tooLarge)
    const found = (await get(`${path}/grows`)).body as { readonly value?: KubeObject }
    expect(found.value?.metadata.annotations).toBeUndefined()
    expect((await ask("DELETE", `${path}/grows`)).status).toBe(200)
    await server.close()
  })
})

const configMap = (data: Readonly<Record<string, string>>): KubeObject & { readonly data: object } => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  data,
})

test("what JSON escapes does not count: a ConfigMap of a mebibyte of line ends is stored as upstream stores it", () => {
  const value = configMap({ text: "\n".repeat(mebibyte) })
  const text = JSON.stringify(value)
  expect(text.length).toBeGreaterThan(2 * mebibyte)
  expect(() => checkObjectSize(text, value, undefined)).not.toThrow()
})

test("bytes count, not characters", () => {
  const value = configMap({ text: "\u{3042}".repeat(0.6 * mebibyte) })
  expect(() => checkObjectSize(JSON.stringify(value), value, undefined)).toThrow("request is too large")
})

test("a larger object that was stored before can be changed, and does not grow", () => {
  const before = configMap({ text: "x".repeat(1.7 * mebibyte) })
  const previous = { key: "/a", revision: 1, value: before }
  const marked = { ...before, metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } }
  expect(() => checkObjectSize(JSON.stringify(marked), marked, previous)).not.toThrow()
  const grown = configMap({ text: "x".repeat(1.8 * mebibyte) })
  expect(() => checkObjectSize(JSON.stringify(grown), grown, previous)).toThrow("request is too large")
})

const numbered = (letters: number, revision: number) => ({
  key: "/a",
  revision,
  value: { ...configMap({ text: "x".repeat(letters) }), metadata: { name: "a", resourceVersion: String(revision) } },
})

test.each([
  ["below the limit", 1.5 * mebibyte - 1000],
  ["above the limit, stored before there was one", 1.7 * mebibyte],
])("an object %s does not grow past the limit in small steps", (_where, letters) => {
  const before = numbered(letters, 9)
  const grown = numbered(letters + 2000, 10).value
  expect(() => checkObjectSize(JSON.stringify(grown), grown, before)).toThrow("request is too large")
})

test.each([1.5 * mebibyte, 1.7 * mebibyte])("a longer resourceVersion is no growth: an object of %i bytes can be changed", (letters) => {
  const next = numbered(letters, 1_000_000).value
  expect(() => checkObjectSize(JSON.stringify(next), next, numbered(letters, 9))).not.toThrow()
})

const items = (count: number): KubeObject => ({ ...configMap({}), metadata: { name: "a", finalizers: Array<string>(count).fill("a") } })

test("an object of 100,000 list items does not grow by patches of few", () => {
  const check = (value: KubeObject, previous?: KubeObject) =>
    checkObjectSize(JSON.stringify(value), value, previous && { key: "/a", revision: 1, value: previous })
  expect(() => check(items(99_990), items(60_000))).not.toThrow()
  expect(() => check(items(100_001), items(60_000))).toThrow("limit of fields and list items is 100000")
  expect(() => check(items(110_000), items(120_000))).not.toThrow()
  expect(() => check(items(120_001), items(120_000))).toThrow("limit of fields and list items is 100000")
})

test.each([
  ["POST", "application/json", 300_000, true],
  ["POST", "application/json", 100_000, false],
  ["PATCH", "application/merge-patch+json", 10, true],
  ["POST", "application/yaml", 10, true],
  ["PATCH", "", 0, false],
] as const)("%s of %s with %i bytes is measured: %s", (verb, contentType, bytes, expected) => {
  expect(mayBeLarge(verb, contentType, bytes)).toBe(expected)
})
