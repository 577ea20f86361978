import { StatusError } from "@pilothouse/api"
import { configMaps } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import { valueBody } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { orNearest, withNearest } from "./nearest-name.ts"

const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } })

test.each<[name: string, others: readonly string[], said: string]>([
  ["webb", [], 'configmaps "webb" not found; did you mean "web"?'],
  ["database", [], 'configmaps "database" not found'],
  ["webb", ["webb", "web"], 'configmaps "webb" not found'],
])("%s, which is not there, asked for with %j", async (name, others, said) => {
  await using started = await cluster({ controllers: [], nodes: 0 })
  await started.apply(map("web"))
  const named = { of: configMaps, name, namespace: "default", others }
  const answer = orNearest(started.client, named, started.client.get(configMaps, `default/${name}`))
  await expect(answer).rejects.toMatchObject({ message: said, statusCode: 404 })
})

test("a user who may not list them, or fails otherwise, gets what the server said and nothing else", async () => {
  const refusing = createClient(async () => ({ status: 403, headers: {}, body: valueBody({ message: "forbidden" }) }))
  const named = { of: configMaps, name: "webb", namespace: "default" }
  for (const code of [404, 500]) {
    const error = new StatusError({ apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code, message: "as it was" })
    expect(await withNearest(refusing, named, error)).toBe(error)
  }
})
