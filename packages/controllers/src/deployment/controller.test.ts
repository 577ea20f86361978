import { controllerOf, forbidden } from "@pilothouse/api"
import { type Deployment, deployments, type ReplicaSet, replicaSets } from "@pilothouse/api/apps/v1"
import { events, namespaces, pods } from "@pilothouse/api/core/v1"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { doubling, held, noting, refusing } from "../testing/layers.ts"

const revision = "deployment.kubernetes.io/revision"

function start(options: ClusterOptions = {}): Promise<Cluster> {
  return cluster({ controllers: ["deployment", "replicaset"], nodes: 2, ...options })
}

function web(
  replicas: number,
  image = 1,
  spec: Partial<Deployment["spec"]> = {},
  metadata: Partial<Deployment["metadata"]> = {},
): Deployment {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: `example/web:${image}` }] } }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", ...metadata },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template, ...spec },
  }
}

async function applied(running: Cluster, ...steps: readonly Deployment[]): Promise<void> {
  for (const step of steps) {
    await running.apply(step)
    await running.settled()
  }
}

function get(running: Cluster): Promise<Deployment> {
  return running.client.get(deployments, "default/web")
}

/** "1: 0, 2: 3": the sizes of its ReplicaSets by image. */
async function sizes(running: Cluster): Promise<string> {
  const sets = await running.list(replicaSets)
  return sets
    .map(({ spec }) => `${spec?.template?.spec?.containers[0]?.image?.split(":")[1]}: ${spec?.replicas}`)
    .sort()
    .join(", ")
}

async function progress(running: Cluster): Promise<string | undefined> {
  return (await get(running)).status?.conditions?.find(({ type }) => type === "Progressing")?.reason
}

async function told(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(events)
  return all
    .filter(({ involvedObject }) => involvedObject.kind === "Deployment")
    .map(({ reason, source }) => `${source?.component} ${reason}`)
}

/** Keeps pods of an image from becoming ready: the kubelets' word on them is lost. */
function broken(image: number) {
  return refusing(({ verb, path, body }) => {
    if (verb !== "PATCH" || !/\/pods\/.*\/status$/.test(path) || body?.type !== "value") return undefined
    return JSON.stringify(body.value).includes(`example/web:${image}`) ? forbidden({ group: "", plural: "pods" }, "", "broken") : undefined
  })
}

describe("a rollout", () => {
  test("goes from template to template, and its status tells", async () => {
    await using running = await start()
    await applied(running, web(3), web(3, 2))
    expect(await sizes(running)).toBe("1: 0, 2: 3")
    const { metadata, status } = await get(running)
    expect(status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 2,
    })
    expect(status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort()).toEqual([
      "Available True MinimumReplicasAvailable",
      "Progressing True NewReplicaSetAvailable",
    ])
    expect(metadata.annotations?.[revision]).toBe("2")
    expect(new Set(await told(running))).toEqual(new Set(["deployment-controller ScalingReplicaSet"]))
  })

  test("back to an old template the old ReplicaSet gets a new revision, and keeps its history", async () => {
    await using running = await start()
    await applied(running, web(2), web(2, 2), web(2, 1))
    const [first] = (await running.list(replicaSets)).filter(({ spec }) => spec?.replicas === 2)
    expect(first?.metadata.annotations).toMatchObject({ [revision]: "3", "deployment.kubernetes.io/revision-history": "1" })
    expect((await get(running)).metadata.annotations?.[revision]).toBe("3")
  })

  test("keeps as many old ReplicaSets as the limit allows", async () => {
    await using running = await start()
    const spec = { revisionHistoryLimit: 1 }
    await applied(running, web(1, 1, spec), web(1, 2, spec), web(1, 3, spec), web(1, 4, spec))
    expect(await sizes(running)).toBe("3: 0, 4: 1")
  })

  test("the rollback annotation brings the one before", async () => {
    await using running = await start()
    await applied(running, web(2), web(2, 2), web(2, 2, {}, { annotations: { "deprecated.deployment.rollback.to": "0" } }))
    expect(await sizes(running)).toBe("1: 2, 2: 0")
    expect((await get(running)).metadata.annotations).toEqual({ [revision]: "3" })
    expect(await told(running)).toContain("deployment-controller DeploymentRollback")
  })

  test("Recreate waits until the last old pod has stopped", async () => {
    await using running = await start()
    const spec = { strategy: { type: "Recreate" } } as const
    await applied(running, web(2, 1, spec))
    const [slow] = await running.list(pods)
    await running.client.patch(pods, slow!, { metadata: { annotations: { "pilothouse.dev/stop-time": "20s" } } })
    await applied(running, web(2, 2, spec))
    expect(await sizes(running)).toBe("1: 0")
    await running.advance("20s")
    expect(await sizes(running)).toBe("1: 0, 2: 2")
  })
})

describe("a rollout that is stuck", () => {
  test("keeps the old pods that have to be available, and fails at its deadline; nothing is rolled back", async () => {
    await using running = await start({ layer: broken(2) })
    const spec = { progressDeadlineSeconds: 60 }
    await applied(running, web(4, 1, spec), web(4, 2, spec))
    expect(await sizes(running)).toBe("1: 3, 2: 2")
    await running.advance("59s")
    expect(await progress(running)).toBe("ReplicaSetUpdated")
    await running.advance("3s")
    expect(await progress(running)).toBe("ProgressDeadlineExceeded")
    expect(await sizes(running)).toBe("1: 3, 2: 2")
    expect((await get(running)).status).toMatchObject({ availableReplicas: 3, unavailableReplicas: 2, updatedReplicas: 2 })
  })

  test("scaled then, both templates keep their share", async () => {
    await using running = await start({ layer: broken(2) })
    await applied(running, web(4), web(4, 2), web(8, 2))
    expect(await sizes(running)).toBe("1: 6, 2: 4")
  })

  test("a pause stops the clock, and its end starts it again", async () => {
    await using running = await start({ layer: broken(2) })
    const spec = { progressDeadlineSeconds: 60 }
    await applied(running, web(4, 1, spec), web(4, 2, spec), web(4, 2, { ...spec, paused: true }))
    await running.advance("10m")
    expect(await progress(running)).toBe("DeploymentPaused")
    await applied(running, web(4, 2, { ...spec, paused: false }))
    expect(await progress(running)).toBe("DeploymentResumed")
    await running.advance("62s")
    expect(await progress(running)).toBe("ProgressDeadlineExceeded")
  })
})

describe("ReplicaSets", () => {
  const orphan = (image: number): ReplicaSet => {
    const { template } = web(1, image).spec!
    return {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: `web-${image}`, labels: { app: "web" } },
      spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
    }
  }

  test("without an owner are adopted; one with the template becomes the current one (GetReplicaSetsForDeploymentAdoptRelease)", async () => {
    await using running = await start()
    await running.apply(orphan(2))
    await running.settled()
    await applied(running, web(2, 2))
    const [set, ...others] = await running.list(replicaSets)
    expect([controllerOf(set!)?.name, set!.metadata.annotations?.[revision], others]).toEqual(["web", "1", []])
  })

  test("that match no more are released", async () => {
    await using running = await start()
    await applied(running, web(2), web(2, 2))
    const [old] = (await running.list(replicaSets)).filter(({ spec }) => spec?.replicas === 0)
    await running.client.patch(replicaSets, old!, { metadata: { labels: { app: "debug" } } })
    await running.settled()
    expect(controllerOf(await running.client.get(replicaSets, `default/${old!.metadata.name}`))).toBeUndefined()
  })

  test("with the name that the new one would get: another name is found", async () => {
    await using running = await start()
    await applied(running, web(1))
    const [{ metadata } = {} as ReplicaSet] = await running.list(replicaSets)
    await running.client.delete(deployments, "default/web")
    // Its name stays taken, by something else.
    await running.client.delete(replicaSets, `default/${metadata.name}`)
    const stranger = { ...orphan(7), metadata: { name: metadata.name } }
    await running.apply({ ...stranger, spec: { ...stranger.spec!, replicas: 0 } })
    await applied(running, web(1))
    expect((await get(running)).status).toMatchObject({ collisionCount: 1, availableReplicas: 1 })
    expect(await running.list(replicaSets)).toHaveLength(2)
  })
})

describe("what goes wrong", () => {
  test("a refused ReplicaSet: an event, a condition, and longer and longer waits", async () => {
    let tries = 0
    const layer = refusing(({ verb, path }) =>
      verb === "POST" && path.endsWith("/replicasets") && ++tries > 0 ? forbidden(replicaSets, "web", "exceeded quota") : undefined,
    )
    await using running = await start({ layer })
    await running.apply(web(2))
    await running.advance("10s")
    expect(tries).toBeLessThan(20)
    expect(await progress(running)).toBe("ReplicaSetCreateError")
    expect(await told(running)).toContain("deployment-controller ReplicaSetCreateError")
  })

  test("a cache that is behind makes no second ReplicaSet", async () => {
    const late = held("replicasets")
    await using running = await start({ layer: late.layer })
    await running.settled()
    late.hold()
    await running.apply(web(2))
    await running.apply(web(2, 1, {}, { annotations: { wake: "up" } }))
    await running.advance("10s")
    expect(await running.list(replicaSets)).toHaveLength(1)
    late.release()
    await running.settled()
    expect((await get(running)).status).toMatchObject({ availableReplicas: 2 })
    expect((await get(running)).status?.collisionCount).toBeUndefined()
  })

  test("events that come twice change nothing", async () => {
    await using running = await start({ layer: doubling() })
    await applied(running, web(3), web(3, 2))
    expect(await sizes(running)).toBe("1: 0, 2: 3")
  })

  test("a namespace that goes away is not fought", async () => {
    const writes: string[] = []
    await using running = await start({ layer: noting(writes) })
    const inLeaving = (image: number) => web(2, image, {}, { namespace: "leaving" })
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } })
    await applied(running, inLeaving(1))
    await running.client.delete(namespaces, "leaving")
    writes.length = 0
    await running.client.patch(deployments, inLeaving(1), { spec: { template: inLeaving(2).spec?.template } })
    await running.advance("10m")
    expect(writes.filter((write) => write.endsWith("/leaving/replicasets"))).toHaveLength(1)
    expect(await told(running)).not.toContain("deployment-controller ReplicaSetCreateError")
  })
})

test("a rollout takes few writes, and none when it is over", async () => {
  const writes: string[] = []
  await using running = await start({ layer: noting(writes) })
  await applied(running, web(3))
  const ofDeployment = () => writes.filter((write) => /\/(deployments|replicasets)/.test(write))
  // One ReplicaSet; its status when seen, when its pods are there and as each of the three becomes ready; and the Deployment's after each of those.
  expect(ofDeployment().length).toBeLessThanOrEqual(12)
  const first = ofDeployment().length
  await applied(running, web(3, 2))
  expect(ofDeployment().length - first).toBeLessThanOrEqual(28)
  writes.length = 0
  await running.advance("1h")
  expect(ofDeployment()).toEqual([])
})

test("whichever API call the controllers crash at, the end is the same", async () => {
  const scenario = {
    cluster: { controllers: ["deployment", "replicaset"], nodes: 2 },
    async run(running: Cluster) {
      await running.apply(web(2, 1, { revisionHistoryLimit: 0 }))
      await running.advance("20s")
      await running.apply(web(3, 2, { revisionHistoryLimit: 0 }))
      await running.advance("20s")
      await running.apply(web(2, 1, { revisionHistoryLimit: 0, strategy: { type: "Recreate", rollingUpdate: null as never } }))
      await running.advance("20s")
    },
  }
  expect(await crashPoints(scenario, { sample: 10, seed: 3, writers: ["deployment-controller"] })).toMatchObject({ tried: 10 })
})
