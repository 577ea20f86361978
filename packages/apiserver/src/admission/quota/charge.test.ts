import { noDeviceFacts } from "@pilothouse/api"
import { configMaps, resourceQuotas } from "@pilothouse/api/core/v1"
import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Stored } from "../../storage/storage.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { chargeOf } from "./resource-quota.ts"

test("of a quota with many names only those that the object takes of are parsed and written again", () => {
  // None of these can be parsed.
  const others = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`count/r${index}.example.com`, "no quantity"]))
  const status = { hard: { ...others, "count/configmaps": "5" }, used: { ...others, "count/configmaps": "1" } }
  const { apiVersion, kind } = { apiVersion: "v1", kind: resourceQuotas.kind }
  const stored = { key: "q", revision: 1, value: { apiVersion, kind, metadata: { name: "q" }, status } } as unknown as Stored
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }
  const server = { clock: new VirtualClock() }
  const attributes = { server, resource: { descriptor: configMaps }, name: "c", subresource: "", object } as unknown as AdmissionAttributes
  const [write] = chargeOf(attributes, stored, noDeviceFacts)
  expect(write).toMatchObject({ key: "q", expected: 1 })
  expect(write && "make" in write && write.make?.(2)).toMatchObject({ status: { used: { ...others, "count/configmaps": "2" } } })
})
