import { type Deployment, deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { pods } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { cluster } from "./cluster.ts"
import type { Cluster, ClusterOptions } from "./cluster-options.ts"
import { crashPoints, type Scenario } from "./crash-points.ts"

function web(replicas: number, image = "example/web:1"): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } },
    },
  }
}

async function images(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(pods)).map((pod) => pod.spec?.containers[0]?.image).sort()
}

const transports: readonly [string, ClusterOptions][] = [
  ["values shared in process", {}],
  ["every body through JSON", { throughJson: true }],
]

describe.each(transports)("a Deployment, %s", (_name, options) => {
  test("becomes pods that run on the nodes", async () => {
    await using running = await cluster({ ...options, nodes: 3 })
    await running.apply(web(3))
    await running.settled()
    const made = await running.list(pods)
    expect(made.map((pod) => pod.status?.phase)).toEqual(["Running", "Running", "Running"])
    expect(new Set(made.map((pod) => pod.spec?.nodeName))).toEqual(new Set(["node-1", "node-2", "node-3"]))
    expect(new Set(made.map((pod) => pod.status?.podIP)).size).toBe(3)
    expect((await running.client.get(deployments, "default/web")).status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    })
  })

  test("scales up and down", async () => {
    await using running = await cluster(options)
    await running.apply(web(2))
    await running.settled()
    await running.apply(web(5))
    await running.settled()
    expect(await running.list(pods)).toHaveLength(5)
    await running.apply(web(1))
    await running.settled()
    expect(await running.list(pods)).toHaveLength(1)
  })

  test("replaces its pods when the template changes", async () => {
    await using running = await cluster({ ...options, nodes: 2 })
    await running.apply(web(3))
    await running.settled()
    await running.apply(web(3, "example/web:2"))
    await running.settled()
    expect(await images(running)).toEqual(["example/web:2", "example/web:2", "example/web:2"])
    const sets = await running.list(replicaSets)
    expect(sets.map((set) => set.spec?.replicas).sort()).toEqual([0, 3])
  })
})

const rollout: Scenario = {
  cluster: { nodes: 2, controllers: ["deployment", "replicaset"] },
  async run(running) {
    await running.apply(web(3))
    await running.advance("15s")
    await running.apply(web(4, "example/web:2"))
    await running.advance("15s")
  },
}

test("a rollout ends the same whichever API call the controllers crash at", async () => {
  const report = await crashPoints(rollout)
  expect(report.tried).toBe(2 * report.calls)
  expect(report.calls).toBeGreaterThan(30)
})

test("nothing is written once a rollout has ended", async () => {
  await using running = await cluster()
  await running.apply(web(3))
  await running.settled()
  const before = (await running.client.list(deployments)).resourceVersion
  await running.settled()
  expect((await running.client.list(deployments)).resourceVersion).toBe(before)
})
