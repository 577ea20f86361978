import { addInt64, type Descriptor, type Int64, type KubeObject } from "@pilothouse/api"
import {
  controllerRevisions,
  type DaemonSet,
  type Deployment,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
} from "@pilothouse/api/apps/v1"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { namespaces, nodes, pods } from "@pilothouse/api/core/v1"
import { podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import { type Frame, recordingLog, type Transport } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { cluster } from "./cluster.ts"
import type { Cluster } from "./cluster-options.ts"

const where = "long"
/** With a quota, under which every pod must say what it requests. */
const greedy = "greedy"
const revisionOf = "deployment.kubernetes.io/revision"
/** Left below the highest integer, for what counts on from there. */
const room = 1000n

/** Every field of 64 bits that a pod may have, but for those that the server holds to 32. */
function podSpec(value: Int64, more: object = {}) {
  const probe = { httpGet: { port: 80 }, terminationGracePeriodSeconds: value }
  const lifecycle = { preStop: { sleep: { seconds: value } } }
  return {
    terminationGracePeriodSeconds: value,
    tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: value }],
    containers: [{ name: "c", image: "example/web:1", lifecycle, livenessProbe: probe, startupProbe: probe }],
    ...more,
  }
}

function workload(apiVersion: string, kind: string, name: string, value: Int64, more: object = {}): KubeObject {
  const template = { metadata: { labels: { app: name } }, spec: podSpec(value) }
  const spec = { selector: { matchLabels: { app: name } }, template, ...more }
  return { apiVersion, kind, metadata: { name, namespace: where }, spec } as KubeObject
}

function of(apiVersion: string, kind: string, name: string, spec: object, namespace = where): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace }, spec } as unknown as KubeObject
}

function everything(value: Int64): readonly KubeObject[] {
  const work = { template: { spec: podSpec(value, { restartPolicy: "Never", containers: [{ name: "c", image: "example/sleep:1" }] }) } }
  const forever = { "pilothouse.dev/run-time": "forever" }
  const running = { template: { metadata: { annotations: forever }, spec: work.template.spec } }
  const memory = { resource: { name: "memory", target: { type: "AverageValue", averageValue: `${value}` } }, type: "Resource" }
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: where } },
    workload("apps/v1", "Deployment", "web", value, { replicas: 2 }),
    workload("apps/v1", "StatefulSet", "data", value, { serviceName: "data", replicas: 1 }),
    workload("apps/v1", "DaemonSet", "agent", value),
    workload("apps/v1", "ReplicaSet", "set", value),
    of("batch/v1", "Job", "running", { activeDeadlineSeconds: value, ttlSecondsAfterFinished: 2 ** 31 - 1, ...running }),
    of("batch/v1", "Job", "done", { activeDeadlineSeconds: value, ttlSecondsAfterFinished: 2 ** 31 - 1, ...work }),
    of("batch/v1", "CronJob", "cron", { schedule: "* * * * *", startingDeadlineSeconds: value, jobTemplate: { spec: work } }),
    of("policy/v1", "PodDisruptionBudget", "budget", { minAvailable: 1, selector: { matchLabels: { app: "web" } } }),
    of("autoscaling/v2", "HorizontalPodAutoscaler", "scaler", {
      maxReplicas: 2,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      metrics: [memory],
    }),
    { apiVersion: "v1", kind: "Namespace", metadata: { name: greedy } },
    of("v1", "ResourceQuota", "quota", { hard: { "requests.memory": `${value}` } }, greedy),
    of(
      "v1",
      "Pod",
      "greedy",
      {
        containers: [{ name: "c", image: "example/web:1", resources: { requests: { memory: `${BigInt(value) - room}` } } }],
      },
      greedy,
    ),
  ]
}

/** What the controllers see has a generation that is higher by as much, as on a cluster of many years. Not in process, where objects are shared. */
function raised(by: Int64): (inner: Transport) => Transport {
  const raise = (object: KubeObject): KubeObject => {
    const { generation } = object.metadata ?? {}
    return generation === undefined ? object : { ...object, metadata: { ...object.metadata, generation: addInt64(generation, by) } }
  }
  async function* events(frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
    for await (const frame of frames) {
      const event = frame.type === "value" ? (frame.value as { readonly type: string; readonly object: KubeObject }) : undefined
      yield event === undefined ? frame : ({ ...frame, value: { type: event.type, object: raise(event.object) } } as Frame)
    }
  }
  return (inner) => async (request) => {
    const response = await inner(request)
    const { body } = response
    if (body.type === "stream") return { ...response, body: { ...body, frames: events(body.frames) } }
    if (body.type !== "value" || typeof body.value !== "object" || body.value === null) return response
    const { items } = body.value as { readonly items?: readonly KubeObject[] }
    const value = items === undefined ? raise(body.value as KubeObject) : { ...body.value, items: items.map(raise) }
    return { ...response, body: { ...body, value } }
  }
}

async function start(value: Int64, throughJson: boolean) {
  const { log, lines } = recordingLog()
  const running = await cluster({ nodes: 2, throughJson, log, ...(throughJson && { layer: raised(BigInt(value) - room) }) })
  for (const object of everything(value)) await running.apply(object)
  const failures = () => [
    ...lines.filter(({ level }) => level === "error").map(({ message, fields }) => `${message} ${String(fields["error"])}`),
    ...running.trace.entries().flatMap(({ controller, key, error }) => (error === undefined ? [] : [`${controller} ${key}: ${error}`])),
  ]
  return { running, failures }
}

/** A pod is identified by its labels; those of a Job by its name. */
async function phases(running: Cluster, app: string): Promise<readonly unknown[]> {
  const all = await running.list(pods, { namespace: where, labelSelector: `app=${app}` })
  return all.map(({ status }) => status?.phase)
}

test.each<[Int64, boolean]>([
  [2n ** 53n + 1n, false],
  [2n ** 53n + 1n, true],
  [2n ** 63n - 1n, false],
  [2n ** 63n - 1n, true],
])("all controllers, scheduler and kubelets work with %s in every field of 64 bits (through JSON: %s)", async (value, throughJson) => {
  const { running, failures } = await start(value, throughJson)
  await using _ = running
  await running.advance("3m")
  expect(failures()).toEqual([])
  expect(await phases(running, "web")).toEqual(["Running", "Running"])
  expect(await phases(running, "data")).toEqual(["Running"])
  expect(await phases(running, "agent")).toEqual(["Running", "Running"])
  const found = await running.list(jobs, { namespace: where })
  expect(found.map(({ metadata, status }) => [metadata.name, status?.conditions?.at(-1)?.type])).toEqual(
    expect.arrayContaining([
      ["running", undefined],
      ["done", "Complete"],
    ]),
  )
  expect(found.find(({ metadata }) => metadata.name === "running")?.spec?.activeDeadlineSeconds).toBe(value)
  expect((await running.list(cronJobs, { namespace: where }))[0]?.status?.lastScheduleTime).toBeDefined()
  for (const kind of [deployments, statefulSets, daemonSets, replicaSets, podDisruptionBudgets]) {
    for (const { metadata, status } of await running.list(kind as Descriptor<Deployment>, { namespace: where })) {
      expect(status?.observedGeneration).toBe(addInt64(metadata.generation ?? 0, throughJson ? BigInt(value) - room : 0))
    }
  }
})

test.each<Int64>([2n ** 53n + 1n, 2n ** 63n - 1n])(
  "pods leave a node and their namespace, whose every time is %s seconds",
  async (value) => {
    const { running, failures } = await start(value, true)
    await using _ = running
    await running.advance("1m")
    const [node] = await running.list(nodes)
    await running.client.patch(nodes, node!.metadata.name!, { spec: { taints: [{ key: "out", effect: "NoExecute" }] } })
    await running.advance("2m")
    // They tolerate it for 292 years.
    expect(await phases(running, "agent")).toEqual(["Running", "Running"])
    await running.client.delete(namespaces, where)
    await running.advance("2m")
    expect(failures()).toEqual([])
    // Nothing but the sleep of their preStop hooks holds them.
    const left = await running.list(pods, { namespace: where, labelSelector: "app=agent" })
    expect(left.map(({ metadata }) => metadata.deletionGracePeriodSeconds)).toEqual([value, value])
  },
)

test.each(["3546343826724305832", "9007199254740993"])(
  "a Deployment goes on from an adopted ReplicaSet's revision %s",
  async (revision) => {
    const { log, lines } = recordingLog()
    await using running = await cluster({ log })
    await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: where } } as KubeObject)
    const old = workload("apps/v1", "ReplicaSet", "web-old", 30, { replicas: 0 })
    const labels = { app: "web" }
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "example/web:0" }] } }
    await running.apply({
      ...old,
      metadata: { ...old.metadata, labels, annotations: { [revisionOf]: revision } },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    } as KubeObject)
    await running.apply(workload("apps/v1", "Deployment", "web", 30, { replicas: 1 }))
    await running.advance("1m")
    const [deployment] = await running.list(deployments, { namespace: where })
    expect(deployment?.metadata.annotations?.[revisionOf]).toBe(`${BigInt(revision) + 1n}`)
    await running.client.patch(deployments, `${where}/web`, { spec: { template: { metadata: { annotations: { next: "1" } } } } })
    await running.advance("1m")
    const sets = await running.list(replicaSets, { namespace: where })
    expect(sets.map(({ metadata }) => metadata.annotations?.[revisionOf]).sort()).toEqual(
      [0n, 1n, 2n].map((n) => `${BigInt(revision) + n}`),
    )
    expect(lines.filter(({ level }) => level === "error")).toEqual([])
  },
)

test("a StatefulSet and a DaemonSet count their revisions on from one beyond 2^53", async () => {
  await using running = await cluster()
  for (const object of everything(30).filter(({ kind }) => ["Namespace", "StatefulSet", "DaemonSet"].includes(kind)))
    await running.apply(object)
  await running.advance("1m")
  for (const revision of await running.list(controllerRevisions, { namespace: where })) {
    await running.client.update(controllerRevisions, { ...revision, revision: 2n ** 53n + 1n })
  }
  for (const [kind, name] of [
    [statefulSets, "data"],
    [daemonSets, "agent"],
  ] as const) {
    await running.client.patch(kind as Descriptor<DaemonSet>, `${where}/${name}`, {
      spec: { template: { metadata: { annotations: { next: "1" } } } },
    })
  }
  await running.advance("1m")
  const numbers = (await running.list(controllerRevisions, { namespace: where })).map(({ revision }) => revision)
  expect(numbers.sort()).toEqual([2n ** 53n + 1n, 2n ** 53n + 1n, 2n ** 53n + 2n, 2n ** 53n + 2n])
})
