import type { Duration } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { crashPoints, writerOf } from "./crash-points.ts"

const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } }

describe("the controllers a scenario is about", () => {
  const scenario = {
    cluster: { controllers: ["serviceaccount", "deployment"] },
    run: async (running: { apply(object: typeof config): Promise<unknown>; advance(time: Duration): Promise<void> }) => {
      await running.apply(config)
      await running.advance("5s")
    },
  }

  test("are those that wrote something, known by their user agent", async () => {
    const { writers } = await crashPoints(scenario, { sample: 1, writers: ["serviceaccount-controller"] })
    expect(writers).toContain("serviceaccount-controller")
    expect(writers).not.toContain("deployment-controller")
    expect(writers).not.toContain("test")
  })

  test("one that runs and writes nothing is refused: no crash of it would mean anything", async () => {
    const swept = crashPoints(scenario, { sample: 1, writers: ["serviceaccount-controller", "deployment-controller"] })
    await expect(swept).rejects.toThrow(/expected deployment-controller to write something .*, found writes of .*serviceaccount-controller/)
  })
})

test.each([
  ["POST", "/api/v1/namespaces/default/pods", "job-controller"],
  ["DELETE", "/api/v1/namespaces/default/pods/a", "job-controller"],
  ["GET", "/api/v1/pods", undefined],
  ["POST", "/api/v1/namespaces/default/events", undefined],
  ["DELETE", "/api/v1/namespaces/events", "job-controller"],
  ["PUT", "/api/v1/namespaces/events/finalize", "job-controller"],
  ["POST", "/api/v1/namespaces/events/pods", "job-controller"],
  ["DELETE", "/apis/batch/v1/namespaces/events/jobs/events", "job-controller"],
  ["PUT", "/api/v1/nodes/events/status", "job-controller"],
  ["POST", "/apis/events.k8s.io/v1/namespaces/events/events", undefined],
  ["PATCH", "/apis/events.k8s.io/v1/namespaces/default/events/a.1", undefined],
] as const)("%s %s counts as a write of %s", (verb, path, writer) => {
  expect(writerOf({ verb, path, query: {}, headers: { "user-agent": "pilothouse/job-controller" } })).toBe(writer)
})
