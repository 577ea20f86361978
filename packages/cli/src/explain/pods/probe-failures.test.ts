import { formatTime } from "@pilothouse/api"
import { events, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { aPod } from "@pilothouse/testing/builders"
import { expect, test } from "vitest"
import { podLines } from "./pod-state.ts"
import { unreadyPodLines } from "./unready-pods.ts"

const pod = (name: string): Pod =>
  aPod(name, { annotations: { "pilothouse.dev/ready": "0s=false" }, spec: { containers: [{ name: "web", image: "web" }] } })

interface Complaint {
  readonly message: string
  readonly container?: string
  /** Seconds from now on. */
  readonly at?: number
}

async function complain({ client, clock }: Cluster, name: string, { message, container = "web", at = 0 }: Complaint): Promise<void> {
  const { uid } = (await client.get(pods, `default/${name}`)).metadata
  const time = formatTime(clock.now() + at * 1000)
  const fieldPath = `spec.containers{${container}}`
  await client.create(events, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { generateName: `${name}.`, namespace: "default" },
    involvedObject: { kind: "Pod", namespace: "default", name, uid, fieldPath },
    type: "Warning",
    reason: "Unhealthy",
    message,
    lastTimestamp: time,
  })
}

/** Pods that run and are not ready. */
async function unready(...names: readonly string[]): Promise<Cluster> {
  const running = await cluster({ controllers: [] })
  for (const name of names) await running.apply(pod(name))
  await running.advance("10s")
  return running
}

async function told(running: Cluster, name = "web-1"): Promise<readonly string[]> {
  return podLines(running.client, await running.client.get(pods, `default/${name}`), { now: running.clock.now() })
}

test("a pod that is not ready did not say why: the last complaint of its probe stands beside it", async () => {
  await using running = await unready("web-1")
  expect((await told(running))[0]).toMatch(/^web runs for \d+s, but is not ready$/)
  await complain(running, "web-1", { message: "Readiness probe failed: HTTP probe failed with statuscode: 500", at: -1 })
  await complain(running, "web-1", { message: "Readiness probe failed: connection refused\nmore of it" })
  expect((await told(running))[0]).toMatch(/, but is not ready \(Readiness probe failed: connection refused\)$/)
})

test("what was said of another container, or of the run before, is not", async () => {
  await using running = await unready("web-1")
  await complain(running, "web-1", { message: "Readiness probe failed: of the proxy", container: "proxy" })
  await complain(running, "web-1", { message: "Liveness probe failed: long ago", at: -60 })
  expect((await told(running))[0]).toMatch(/, but is not ready$/)
})

test("pods whose probes ask at their own addresses and fail alike are one reason", async () => {
  await using running = await unready("web-1", "web-2")
  for (const at of [1, 2]) await complain(running, `web-${at}`, { message: `Readiness probe failed: dial tcp 10.0.0.${at}:80: refused` })
  expect(await unreadyPodLines(running.client, "default", ["web-1", "web-2"], { now: running.clock.now() })).toEqual([
    expect.stringMatching(/^web-1 and web-2: web runs for .*not ready \(Readiness probe failed: dial tcp 10\.0\.0\.1:80: refused\)$/),
  ])
})
