import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { expand } from "./expand.ts"
import { downwardField, downwardResource } from "./process-environment.ts"

test.each([
  ["$(A)", "1"],
  ["x$(A)y$(B)", "x1y2"],
  ["$$(A)", "$(A)"],
  ["$(UNKNOWN)", "$(UNKNOWN)"],
  ["$(1A) $(A B)", "3 4"],
  ["$() $(A", "$() $(A"],
  ["$A", "$A"],
  ["$$", "$"],
])("%s", (text, expected) => {
  expect(
    expand(
      text,
      new Map([
        ["A", "1"],
        ["B", "2"],
        ["1A", "3"],
        ["A B", "4"],
      ]),
    ),
  ).toBe(expected)
})

describe("what a container learns of its pod", () => {
  const main = { name: "main", resources: { limits: { cpu: "1500m", memory: "64Mi" }, requests: { cpu: "250m" } } }
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "u", labels: { app: "a" }, annotations: { "x.io/y": "z" } },
    spec: { nodeName: "node-1", containers: [main] },
    status: { podIP: "127.116.1.1", hostIP: "10.240.0.1" },
  }

  test.each([
    ["metadata.name", "web"],
    ["metadata.namespace", "default"],
    ["metadata.uid", "u"],
    ["metadata.labels['app']", "a"],
    ["metadata.annotations['x.io/y']", "z"],
    ["metadata.labels['none']", ""],
    ["spec.nodeName", "node-1"],
    ["spec.serviceAccountName", "default"],
    ["status.podIP", "127.116.1.1"],
    ["status.hostIP", "10.240.0.1"],
    ["status.phase", undefined],
  ])("%s", (path, expected) => {
    expect(downwardField(pod, path)).toBe(expected)
  })

  test.each([
    ["limits.cpu", undefined, "2"],
    ["limits.cpu", "1m", "1500"],
    ["limits.memory", "1Mi", "64"],
    ["requests.cpu", undefined, "1"],
    ["requests.memory", undefined, "0"],
  ])("%s in %s", (resource, divisor, expected) => {
    expect(downwardResource(pod, main, { resource, divisor })).toBe(expected)
  })

  test.each([
    ["limits.cpu", "8"],
    ["limits.memory", "0"],
    ["limits.example.org/gpu", "0"],
    ["requests.cpu", "0"],
  ])("a limit that is not set was 0, not what the node has: %s", (resource, expected) => {
    expect(downwardResource(pod, { name: "free" }, { resource }, { cpu: "7500m", "example.org/gpu": "2" })).toBe(expected)
  })

  test("an init container that was named was not found", () => {
    const initContainers = [{ name: "first", resources: { limits: { cpu: "3" } } }]
    const whole: Pod = { ...pod, spec: { containers: [main], initContainers } }
    expect(downwardResource(whole, main, { resource: "limits.cpu", containerName: "first" })).toBe("3")
  })
})
