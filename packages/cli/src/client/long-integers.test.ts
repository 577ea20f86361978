import type { Job } from "@pilothouse/api/batch/v1"
import { parseManifests } from "@pilothouse/runtime/manifests"
import { expect, test } from "vitest"
import { yamlText } from "./kubectl-yaml.ts"

const job = (seconds: string) => `apiVersion: batch/v1
kind: Job
metadata: {name: j, labels: {1: one}}
spec: {parallelism: 3, activeDeadlineSeconds: ${seconds}}
`

test.each([
  ["9007199254740993", 9007199254740993n],
  ["9223372036854775807", 9223372036854775807n],
  ["0x20000000000001", 9007199254740993n],
  ["9_007_199_254_740_993", 9007199254740993n],
  ["30", 30],
  ["0o17", 15],
  ["017", 15],
  ["1e3", 1000],
  // As in Go, what 64 bits cannot hold is a float; the server refuses it.
  ["99999999999999999999", 1e20],
])("a manifest with %s has %s", (text, value) => {
  const [manifest] = parseManifests(job(text), "j.yaml")
  expect((manifest!.object as Job).spec).toEqual({ parallelism: 3, activeDeadlineSeconds: value })
  expect(manifest?.object.metadata.labels).toEqual({ 1: "one" })
})

test("a manifest in JSON too, and YAML that is printed says the same", () => {
  const text = '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"activeDeadlineSeconds":9007199254740993}}'
  const [manifest] = parseManifests(text, "j.json")
  expect((manifest!.object as Job).spec?.activeDeadlineSeconds).toBe(9007199254740993n)
  expect(yamlText(manifest?.object)).toContain("activeDeadlineSeconds: 9007199254740993\n")
  expect(parseManifests(yamlText(manifest?.object), "again")[0]?.object).toEqual(manifest?.object)
})
