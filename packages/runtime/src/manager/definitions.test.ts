import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { z } from "zod"
import { controller } from "../controller/controller.ts"
import { plan } from "../controller/plan/plan-builder.ts"
import { defineKind } from "../kinds/index.ts"
import { testManager } from "./testing/manager.ts"

const spec = z.object({ size: z.int().default(3) })
const boxes = defineKind({ group: "example.com", version: "v1", kind: "Box", spec, status: z.object({ seen: z.int() }) })
const name = boxes.definition.metadata.name!
const box = { apiVersion: "example.com/v1", kind: "Box", metadata: { name: "a", namespace: "default" }, spec: {} }

const counter = controller("box-counter", {
  for: boxes,
  observe: (key, read) => read.get(boxes, key),
  decide: (found) => plan().status(found, { seen: found.spec.size }, "the size is counted"),
})

const served = () => cluster({ nodes: 0, controllers: [], managedFields: true })

test("a manager installs the kinds of its controllers before they start", async () => {
  await using server = await served()
  await using _running = await testManager([counter], { server, crds: [boxes], userAgent: "box-operator" })
  await server.apply(box)
  await server.settled()
  expect((await server.client.get(boxes, "default/a")).status?.seen).toBe(3)
  const { metadata } = await server.client.get(customResourceDefinitions, name)
  expect(metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toContain("box-operator Apply")
})

test("a manager brings a definition up to date that another has written", async () => {
  await using server = await served()
  const { spec: given, ...rest } = boxes.definition
  const versions = given.versions.map((version) => ({
    ...version,
    additionalPrinterColumns: [{ name: "Old", type: "string", jsonPath: ".spec" }],
  }))
  await server.client.create(customResourceDefinitions, {
    ...rest,
    spec: { ...given, names: { ...given.names, shortNames: ["bx"] }, versions },
  })
  const columns = [{ name: "Size", type: "integer", jsonPath: ".spec.size" }]
  const changed = defineKind({ group: "example.com", version: "v1", kind: "Box", shortNames: ["b"], spec, printerColumns: columns })
  await using running = await testManager([], { server, crds: [changed.definition] })
  await running.stop()
  const found = (await server.client.get(customResourceDefinitions, name)).spec
  expect([found.names.shortNames, found.versions[0]?.additionalPrinterColumns]).toEqual([["b"], columns])
})

test("a definition that the server refuses ends the run with its words", async () => {
  await using server = await served()
  const wrong = defineKind({ group: "example.com", version: "v1", kind: "Box", spec, rules: [{ rule: "self.spec.sise > 2" }] })
  await using running = await testManager([counter], { server, crds: [wrong] })
  await expect(running.stop()).rejects.toThrow(
    /^expected the server to accept the definition boxes\.example\.com, found: .*compilation failed: ERROR: <input>:1:10: undefined field 'sise'/s,
  )
})

test("a dry run applies nothing and does not wait", async () => {
  await using server = await served()
  await using running = await testManager([], { server, crds: [boxes], dryRun: true })
  await running.stop()
  expect(await server.list(customResourceDefinitions)).toEqual([])
})

test("a manager that stops while it waits ends without an error", async () => {
  await using server = await served()
  const silent = { ...boxes, definition: boxes.definition }
  await using running = await testManager([counter], {
    server,
    crds: [silent],
    layer: (inner) => (request) =>
      request.path.endsWith("/customresourcedefinitions")
        ? new Promise((_, reject) => request.signal?.addEventListener("abort", () => reject(request.signal?.reason)))
        : inner(request),
  })
  await expect(running.stop()).resolves.toBeUndefined()
})
