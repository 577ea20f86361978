import { expect, test } from "vitest"
import { everyWay } from "../testing/server.ts"
import { warningHeader } from "./response.ts"

const written = (texts: readonly string[]) => texts.map((text) => `299 - "${text}"`).join(", ")
const numbered = (count: number, length: number) => Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, "x"))

test.each<[what: string, texts: readonly string[], said: readonly string[]]>([
  ["quotes and lines", ['a "b" \\\n  c'], ['a \\"b\\" \\\\ c']],
  ["all that fit", numbered(4, 1024), numbered(4, 1024)],
  ["one rune too many: each is cut", [...numbered(4, 1024), "y"], [...numbered(4, 256), "y"]],
  ["many: the last are left out", numbered(100, 300), numbered(16, 256)],
  ["runes, not bytes or halves", [`a${"💥".repeat(4095)}`], [`a${"💥".repeat(4095)}`]],
  ["no rune is cut in two", [`a${"💥".repeat(4096)}`], [`a${"💥".repeat(255)}`]],
])("%s", (_, texts, said) => {
  expect(warningHeader(texts)).toBe(written(said))
})

everyWay("an object with many long names of fields that there are not", (testServer) => {
  test.each([
    ["application/json", (fields: string) => `{"metadata":{"name":"a"},${fields}}`],
    ["application/yaml", (fields: string) => `{"metadata":{"name":"a"},${fields},${fields}}`],
  ])("is made, and its answer can be read: %s", async (contentType, object) => {
    const fields = Array.from({ length: 90 }, (_, index) => `"f${index}${"x".repeat(500)}":1`).join(",")
    const body = { type: "bytes", bytes: new TextEncoder().encode(object(fields)), contentType } as const
    const path = "/api/v1/namespaces/default/configmaps"
    const { status, headers } = await testServer().transport({ verb: "POST", path, query: {}, headers: {}, body })
    expect(status).toBe(201)
    expect(headers.warning?.match(/299 - /g)).toHaveLength(16)
  })
})
