import { equal } from "node:assert/strict"
import { test } from "node:test"
import { type Job, jobs } from "@pilothouse/api/batch/v1"
import { cluster } from "@pilothouse/testing"

const sum: Job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "sum", namespace: "default" },
  spec: {
    backoffLimit: 2,
    template: {
      spec: { restartPolicy: "Never", containers: [{ name: "sum", image: "example/sum", command: ["sh", "-c", "sleep 5; exit 1"] }] },
    },
  },
}

test("a Job that always fails gives up after two more tries", async () => {
  await using c = await cluster({ nodes: 1, controllers: ["job"] })
  await c.apply(sum)
  await c.advance("10m")
  const { status } = await c.client.get(jobs, "default/sum")
  equal(status?.failed, 3)
  equal(status?.conditions?.find(({ type }) => type === "Failed")?.reason, "BackoffLimitExceeded")
})
