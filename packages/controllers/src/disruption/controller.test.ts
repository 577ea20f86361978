import { conflict, formatTime, isTooManyRequests } from "@pilothouse/api"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { events, namespaces, type Pod, pods } from "@pilothouse/api/core/v1"
import { type PodDisruptionBudget, podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import { type Cluster, type ClusterOptions, cluster, crashPoints } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { doubling, held, noting, refusing } from "../testing/layers.ts"

const controllers = ["disruption", "deployment", "replicaset"]

function start(options: ClusterOptions = {}): Promise<Cluster> {
  return cluster({ controllers, ...options })
}

function web(replicas: number, namespace = "default"): Deployment {
  const labels = { app: "web" }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "example/web:1" }] } },
    },
  }
}

function budget(spec: PodDisruptionBudget["spec"], name = "web", namespace = "default"): PodDisruptionBudget {
  const selector = { matchLabels: { app: "web" } }
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name, namespace }, spec: { selector, ...spec } }
}

function naked(name: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: "web" } },
    spec: { containers: [{ name: "web", image: "example/web:1" }] },
  }
}

/** "2 allowed, 3 of 3 healthy, 1 needed" */
async function standing(running: Cluster, name = "web"): Promise<string> {
  const { status } = await running.client.get(podDisruptionBudgets, `default/${name}`)
  const { disruptionsAllowed, currentHealthy, expectedPods, desiredHealthy } = status ?? {}
  return `${disruptionsAllowed} allowed, ${currentHealthy} of ${expectedPods} healthy, ${desiredHealthy} needed`
}

async function told(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(events)
  return all.filter(({ source }) => source?.component === "controllermanager").map(({ reason, message }) => `${reason}: ${message}`)
}

describe("a budget", () => {
  test("follows the pods of its Deployment, and its size", async () => {
    await using running = await start()
    await running.apply(budget({ maxUnavailable: 1 }))
    await running.settled()
    expect(await standing(running)).toBe("0 allowed, 0 of 0 healthy, 0 needed")
    await running.apply(web(3))
    await running.settled()
    expect(await standing(running)).toBe("1 allowed, 3 of 3 healthy, 2 needed")
    await running.apply(web(5))
    await running.settled()
    expect(await standing(running)).toBe("1 allowed, 5 of 5 healthy, 4 needed")
  })

  test("a change of its spec counts at once", async () => {
    await using running = await start()
    await running.apply(web(4))
    await running.apply(budget({ minAvailable: "50%" }))
    await running.settled()
    expect(await standing(running)).toBe("2 allowed, 4 of 4 healthy, 2 needed")
    await running.client.patch(podDisruptionBudgets, "default/web", { spec: { minAvailable: 1 } })
    await running.settled()
    expect(await standing(running)).toBe("3 allowed, 4 of 4 healthy, 1 needed")
    const { metadata, status } = await running.client.get(podDisruptionBudgets, "default/web")
    expect(status?.observedGeneration).toBe(metadata.generation)
  })

  test("knows of a new size even where no pods follow", async () => {
    const layer = refusing(({ verb, path }) =>
      verb === "POST" && path.endsWith("/pods") && closed ? conflict(pods, "", "full") : undefined,
    )
    let closed = false
    await using running = await start({ layer })
    await running.apply(web(2))
    await running.apply(budget({ maxUnavailable: 1 }))
    await running.settled()
    closed = true
    await running.apply(web(6))
    await running.settled()
    expect(await standing(running)).toBe("0 allowed, 2 of 6 healthy, 5 needed")
  })

  test("a selector that matches everything is every pod of the namespace", async () => {
    await using running = await start()
    await running.apply(web(2))
    await running.apply({ ...naked("other"), metadata: { name: "other", labels: { app: "other" } } })
    await running.apply({ ...budget({ minAvailable: 1 }), spec: { selector: {}, minAvailable: 1 } })
    await running.settled()
    expect(await standing(running)).toBe("2 allowed, 3 of 3 healthy, 1 needed")
    await running.client.delete(pods, "default/other")
    await running.settled()
    expect(await standing(running)).toBe("1 allowed, 2 of 2 healthy, 1 needed")
  })

  test("without a selector matches nothing", async () => {
    await using running = await start()
    await running.apply(web(2))
    await running.apply({ ...budget({}), spec: { minAvailable: 1 } })
    await running.settled()
    expect(await standing(running)).toBe("0 allowed, 0 of 0 healthy, 1 needed")
    expect(await told(running)).toContain("NoPods: No matching pods found")
  })

  test("of pods without a controller reports it", async () => {
    await using running = await start()
    await running.apply(naked("one"))
    await running.apply(budget({ maxUnavailable: 1 }))
    await running.settled()
    expect(await standing(running)).toBe("0 allowed, 1 of 0 healthy, 0 needed")
    expect((await told(running)).join()).toContain("UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{")
  })

  test("two for the same pods: each is counted, and an event is recorded", async () => {
    await using running = await start()
    await running.apply(web(2))
    await running.apply(budget({ minAvailable: 1 }, "one"))
    await running.apply(budget({ minAvailable: 2 }, "two"))
    await running.settled()
    expect(await standing(running, "one")).toBe("1 allowed, 2 of 2 healthy, 1 needed")
    expect(await standing(running, "two")).toBe("0 allowed, 2 of 2 healthy, 2 needed")
  })
})

describe("evictions", () => {
  test("one at a time, as the budget allows", async () => {
    await using running = await start()
    await running.apply(web(3))
    await running.apply(budget({ maxUnavailable: 1 }))
    await running.settled()
    const [first, second] = await running.list(pods)
    await running.client.evict(first!)
    const refused = await running.client.evict(second!).catch((error: unknown) => error)
    expect(isTooManyRequests(refused)).toBe(true)
    await running.advance("1m")
    expect(await standing(running)).toBe("1 allowed, 3 of 3 healthy, 2 needed")
    expect((await running.client.get(podDisruptionBudgets, "default/web")).status?.disruptedPods ?? {}).toEqual({})
    await running.client.evict(second!)
  })

  test("an eviction that was granted and not carried out is dropped after two minutes, with an event", async () => {
    await using running = await start()
    await running.apply(web(3))
    await running.apply(budget({ maxUnavailable: 1 }))
    await running.settled()
    const [victim] = await running.list(pods)
    const { status } = await running.client.get(podDisruptionBudgets, "default/web")
    const at = formatTime(running.clock.now())
    const next = { ...status, disruptionsAllowed: 0, disruptedPods: { [victim!.metadata.name!]: at } }
    await running.client.patch(podDisruptionBudgets, "default/web", { status: next }, { subresource: "status" })
    await running.settled()
    expect(await standing(running)).toBe("0 allowed, 2 of 3 healthy, 2 needed")
    await running.advance("2m5s")
    expect(await standing(running)).toBe("1 allowed, 3 of 3 healthy, 2 needed")
    expect(await told(running)).toContain("NotDeleted: Pod was expected by PDB default/web to be deleted but it wasn't")
  })

  test("the condition DisruptionTarget is reset after two minutes, also after a restart", async () => {
    await using running = await start()
    await running.apply(naked("one"))
    await running.settled()
    const { status } = await running.client.get(pods, "default/one")
    const lastTransitionTime = formatTime(running.clock.now())
    const mark = { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", lastTransitionTime }
    await running.client.patch(
      pods,
      "default/one",
      { status: { conditions: [...(status?.conditions ?? []), mark] } },
      { subresource: "status" },
    )
    await running.advance("1m")
    await running.restartControllers()
    const marked = async () =>
      (await running.client.get(pods, "default/one")).status?.conditions?.find(({ type }) => type === "DisruptionTarget")?.status
    await running.advance("59s")
    expect(await marked()).toBe("True")
    await running.advance("2s")
    expect(await marked()).toBe("False")
  })
})

describe("what goes wrong", () => {
  test("a controller without scales: nothing is allowed, and no rapid retries", async () => {
    const writes: string[] = []
    await using running = await start({ layer: noting(writes) })
    const controlled = { apiVersion: "apps/v1", kind: "DaemonSet", name: "web", uid: "1", controller: true }
    await running.apply({ ...naked("one"), metadata: { ...naked("one").metadata, ownerReferences: [controlled] } })
    await running.apply(budget({ maxUnavailable: 1 }))
    await running.advance("30m")
    const { status } = await running.client.get(podDisruptionBudgets, "default/web")
    expect(status?.conditions).toMatchObject([
      {
        type: "DisruptionAllowed",
        status: "False",
        reason: "SyncFailed",
        message: "daemonsets.apps does not implement the scale subresource",
      },
    ])
    expect(status?.disruptionsAllowed).toBe(0)
    expect(await told(running)).toContain(
      "CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: daemonsets.apps does not implement the scale subresource",
    )
    expect(writes.filter((write) => write.includes("poddisruptionbudgets")).length).toBeLessThanOrEqual(2)
    expect(running.trace.entries().filter(({ controller }) => controller === "disruption-controller").length).toBeLessThanOrEqual(36)
  })

  test("a kind that the server does not know", async () => {
    await using running = await start()
    const controlled = { apiVersion: "example.com/v1", kind: "Widget", name: "web", uid: "1", controller: true }
    await running.apply({ ...naked("one"), metadata: { ...naked("one").metadata, ownerReferences: [controlled] } })
    await running.apply(budget({ minAvailable: "50%" }))
    await running.settled()
    expect((await told(running)).join()).toContain('no matches for kind "Widget" in version "example.com/v1"')
  })

  test("a conflict: it reconciles again, without SyncFailed", async () => {
    let tries = 0
    const layer = refusing(({ verb, path }) =>
      verb === "PUT" && path.endsWith("poddisruptionbudgets/web/status") && ++tries < 3
        ? conflict(podDisruptionBudgets, "web", "no")
        : undefined,
    )
    await using running = await start({ layer })
    await running.apply(web(2))
    await running.settled()
    await running.apply(budget({ minAvailable: 1 }))
    await running.advance("1s")
    expect(tries).toBe(3)
    expect(await standing(running)).toBe("1 allowed, 2 of 2 healthy, 1 needed")
  })

  test("a cache that is behind ends at the truth", async () => {
    const late = held("pods")
    await using running = await start({ layer: late.layer })
    await running.apply(web(3))
    await running.apply(budget({ minAvailable: 1 }))
    await running.settled()
    late.hold()
    await running.client.patch(deployments, "default/web", { spec: { replicas: 2 } })
    await running.advance("10s")
    late.release()
    await running.settled()
    expect(await standing(running)).toBe("1 allowed, 2 of 2 healthy, 1 needed")
  })

  test("events that come twice change nothing", async () => {
    await using running = await start({ layer: doubling() })
    await running.apply(web(3))
    await running.apply(budget({ maxUnavailable: 1 }))
    await running.settled()
    expect(await standing(running)).toBe("1 allowed, 3 of 3 healthy, 2 needed")
  })

  test("a namespace that goes away takes its budgets with it", async () => {
    await using running = await start({ controllers: [...controllers, "namespace"] })
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } })
    await running.apply(web(2, "leaving"))
    await running.apply(budget({ minAvailable: 1 }, "web", "leaving"))
    await running.settled()
    await running.client.delete(namespaces, "leaving")
    await running.advance("2m")
    expect(await running.list(podDisruptionBudgets)).toEqual([])
    expect(await running.list(pods)).toEqual([])
  })
})

test("few writes: as many as the counts change, and none when nothing does", async () => {
  const writes: string[] = []
  await using running = await start({ layer: noting(writes) })
  const own = () => writes.filter((write) => write.includes("poddisruptionbudgets"))
  await running.apply(web(4))
  await running.settled()
  await running.apply(budget({ maxUnavailable: 1 }))
  await running.settled()
  expect(own()).toHaveLength(1)
  await running.advance("1h")
  expect(own()).toHaveLength(1)
  await running.client.patch(pods, (await running.list(pods))[0]!, { metadata: { annotations: { seen: "yes" } } })
  await running.settled()
  expect(own()).toHaveLength(1)
})

/** A pod without a controller that was to be disrupted, and then was not. */
async function marked(running: Cluster, name: string): Promise<void> {
  const pod = naked(name)
  await running.apply({ ...pod, metadata: { ...pod.metadata, labels: { app: "other" } } })
  await running.advance("20s")
  const mark = {
    type: "DisruptionTarget",
    status: "True",
    reason: "PreemptionByScheduler",
    lastTransitionTime: formatTime(running.clock.now()),
  }
  await running.client.patch(pods, `default/${name}`, { status: { conditions: [mark] } }, { subresource: "status", type: "strategic" })
}

test("whichever API call the controllers crash at, the end is the same", async () => {
  const scenario = {
    cluster: { controllers },
    async run(running: Cluster) {
      await running.apply(budget({ minAvailable: "50%" }))
      await running.apply(web(4))
      await running.advance("20s")
      const [victim] = await running.list(pods)
      await running.client.evict(victim!)
      await marked(running, "spared")
      await running.advance("5m")
      await running.apply(web(2))
      await running.advance("2m")
    },
  }
  expect(await crashPoints(scenario, { sample: 10, seed: 5, writers: ["disruption-controller", "stale-pod-disruption"] })).toMatchObject({
    tried: 10,
  })
})
