import { type Job, jobs } from "@pilothouse/api/batch/v1"
import { events, type Pod, type PodSpec, pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"

function pod(name: string, spec: Partial<PodSpec> = {}, annotations: Readonly<Record<string, string>> = {}): Pod {
  const containers = spec.containers ?? [{ name: "main", image: "example/web:1" }]
  return { apiVersion: "v1", kind: "Pod", metadata: { name, annotations }, spec: { ...spec, containers } }
}

const script = (text: string) => [{ name: "main", image: "busybox", command: ["sh", "-c", text] }]
const read = (running: Cluster, name: string) => running.client.get(pods, `default/${name}`)

test("a container that fails is started again at upstream's pace, also by controllers that know nothing", async () => {
  await using running = await cluster({ controllers: [] })
  await running.apply(pod("bad", { containers: script("sleep 5; exit 1") }))
  await running.advance("11s")
  const restarts = async () => (await read(running, "bad")).status?.containerStatuses?.[0]?.restartCount
  expect(await restarts()).toBe(1)
  await running.restartControllers()
  await running.advance("10s")
  expect(await restarts()).toBe(2)
  await running.advance("1h")
  // 10 s, 20 s … and then every five minutes.
  expect(await restarts()).toBe(16)
})

test("a deleted pod goes when its containers have stopped, and has failed before that", async () => {
  const phases: string[] = []
  await using running = await cluster({
    controllers: [],
    layer: (inner) => (request) => {
      if (request.path.endsWith("/pods/slow/status")) phases.push(JSON.stringify(request.body))
      return inner(request)
    },
  })
  await running.apply(pod("slow", {}, { "pilothouse.dev/stop-time": "20s" }))
  await running.settled()
  await running.client.delete(pods, "default/slow")
  await running.advance("19s")
  expect((await read(running, "slow")).status?.phase).toBe("Running")
  await running.advance("2s")
  expect(await running.list(pods)).toEqual([])
  expect(phases.at(-1)).toContain('"phase":"Failed"')
})

test("a Job whose pods fail is tried again, and done when one of them ends well", async () => {
  await using running = await cluster({ controllers: ["job"] })
  const work: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "work" },
    spec: { template: { spec: { restartPolicy: "Never", containers: script("sleep 30") } } },
  }
  await running.apply(work)
  await running.advance("25s")
  expect((await running.client.get(jobs, "default/work")).status).toMatchObject({ active: 1, ready: 1 })
  await running.advance("10s")
  expect((await running.client.get(jobs, "default/work")).status).toMatchObject({ succeeded: 1 })
})

test("events are recorded once", async () => {
  await using running = await cluster({ controllers: [], kubeletEvents: true })
  await running.apply(pod("web"))
  await running.advance("1m")
  await running.client.delete(pods, "default/web")
  await running.advance("1s")
  const told = (await running.list(events)).filter(({ source }) => source?.component === "kubelet")
  expect(told.map(({ reason, message, count }) => [reason, message, count ?? 1]).sort()).toEqual([
    ["Created", "Container created", 1],
    ["Killing", "Stopping container main", 1],
    ["Pulled", 'Container image "example/web:1" already present on machine and can be accessed by the pod', 1],
    ["Started", "Container started", 1],
  ])
})

test("conditions of others stay", async () => {
  await using running = await cluster({ controllers: [] })
  await running.apply(pod("web", {}, { "pilothouse.dev/ready": "0s=true,30s=false" }))
  await running.settled()
  const condition = { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }
  await running.client.patch(pods, "default/web", { status: { conditions: [condition] } }, { subresource: "status", type: "strategic" })
  await running.advance("31s")
  const types = (await read(running, "web")).status?.conditions?.map(({ type, status }) => `${type} ${status}`)
  expect(types).toContain("DisruptionTarget True")
  expect(types).toContain("Ready False")
})

test("pods end the same whichever API call the controllers crash at", async () => {
  const report = await crashPoints(
    {
      cluster: { controllers: [] },
      async run(running) {
        await running.apply(pod("once", { restartPolicy: "Never", containers: script("sleep 3; exit 2") }))
        await running.apply(pod("gone", {}, { "pilothouse.dev/stop-time": "2s" }))
        await running.advance("1s")
        await running.client.delete(pods, "default/gone")
        await running.advance("30s")
      },
    },
    { sample: 16 },
  )
  expect(report.tried).toBe(16)
})

test("nothing is written while nothing happens", async () => {
  await using running = await cluster({ controllers: [] })
  await running.apply(pod("web"))
  await running.settled()
  const before = (await read(running, "web")).metadata.resourceVersion
  await running.advance("10m")
  expect((await read(running, "web")).metadata.resourceVersion).toBe(before)
})
