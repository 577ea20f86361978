import { controllerOf, notFound } from "@pilothouse/api"
import { events, type Pod, pods, type ReplicationController, replicationControllers } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { refusing } from "../testing/layers.ts"

const only = { controllers: ["replicationcontroller", "replicaset"], nodes: 2 }

function web(replicas: number): ReplicationController {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } }
  return {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name: "web" },
    spec: { replicas, selector: { app: "web" }, template },
  }
}

async function ownedPods(running: Cluster): Promise<readonly Pod[]> {
  return (await running.list(pods)).filter((pod) => controllerOf(pod)?.kind === "ReplicationController")
}

async function status(running: Cluster): Promise<ReplicationController["status"]> {
  return (await running.client.get(replicationControllers, "default/web")).status
}

describe("a ReplicationController", () => {
  test("gets its pods and lets surplus go; its status does not count terminating pods", async () => {
    await using running = await cluster(only)
    await running.apply(web(3))
    await running.settled()
    expect(await status(running)).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    })
    await running.apply(web(1))
    await running.settled()
    expect(await ownedPods(running)).toHaveLength(1)
    expect(await status(running)).toMatchObject({ replicas: 1, observedGeneration: 2 })
  })

  test("tells its events under its own name", async () => {
    await using running = await cluster(only)
    await running.apply(web(1))
    await running.settled()
    const told = (await running.list(events)).filter(({ involvedObject }) => involvedObject.kind === "ReplicationController")
    expect(told.map(({ reason, source }) => `${source?.component} ${reason}`)).toEqual(["replication-controller SuccessfulCreate"])
  })

  test("adopts orphans by its plain map of labels", async () => {
    await using running = await cluster(only)
    const spec = { containers: [{ name: "web", image: "example/web:1" }] }
    await running.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "orphan", labels: { app: "web" } }, spec } as Pod)
    await running.apply(web(1))
    await running.settled()
    expect((await ownedPods(running)).map(({ metadata }) => metadata.name)).toEqual(["orphan"])
  })

  test("pods that are gone when they are to be deleted are no failure", async () => {
    const layer = refusing(({ verb, path }) => (verb === "DELETE" && path.includes("/pods/") ? notFound(pods, "gone") : undefined))
    await using running = await cluster({ ...only, layer })
    await running.apply(web(2))
    await running.settled()
    await running.apply(web(1))
    await running.settled()
    expect((await status(running))?.conditions).toBeUndefined()
  })
})

test("whichever API call the controllers crash at, the end is the same", async () => {
  const scenario = {
    cluster: only,
    async run(running: Cluster) {
      await running.apply(web(3))
      await running.advance("20s")
      await running.apply(web(2))
      await running.advance("20s")
    },
  }
  expect(await crashPoints(scenario, { sample: 10, seed: 11, writers: ["replication-controller"] })).toMatchObject({ tried: 10 })
})
