import { memoryMetrics, recordingLog, seededRandom, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { EmbeddedOpenStack } from "../embedded/embedded-open-stack.ts"
import { CloudHealth } from "./cloud-health.ts"

function stage() {
  const clock = new VirtualClock()
  const embedded = new EmbeddedOpenStack({ clock, random: seededRandom(1) })
  const cloud = openStack({ access: embedded.access(), connect: embedded.connect, clock, retries: 0 })
  const metrics = memoryMetrics()
  const { log, lines } = recordingLog()
  let loaded = false
  const { project } = embedded.seed
  const health = new CloudHealth({ cloud, project, clock, metrics, log, poolsLoaded: () => loaded })
  const stop = new AbortController()
  const load = () => {
    loaded = true
  }
  return { clock, embedded, cloud, health, metrics, lines, stop, load, run: () => void health.run(stop.signal) }
}

const ready = (health: CloudHealth) => health.checks().map(({ name, ok }) => `${name} ${ok}`)

test("not ready before the cloud was asked and the pools are loaded; ready then; none of it is a reason to restart", async () => {
  const { clock, health, stop, load, run } = stage()
  expect(ready(health)).toEqual(["keystone false", "pools false"])
  run()
  await clock.advance("1s")
  expect(ready(health)).toEqual(["keystone true", "quota true", "pools false"])
  load()
  expect(ready(health)).toEqual(["keystone true", "quota true", "pools true"])
  expect(health.checks().every(({ readyOnly }) => readyOnly)).toBe(true)
  stop.abort()
})

test("Keystone is away: not ready with the reason, and ready again when it is back", async () => {
  const { clock, embedded, health, stop, load, run, lines } = stage()
  load()
  embedded.fault = ({ service }) => (service === "keystone" ? { status: 503 } : undefined)
  run()
  await clock.advance("1s")
  expect(health.checks()[0]).toMatchObject({ name: "keystone", ok: false, reason: expect.stringContaining("503") })
  expect(lines.map(({ message }) => message)).toContain("Keystone does not let us in")
  embedded.fault = () => undefined
  await clock.advance("31s")
  expect(ready(health)).toEqual(["keystone true", "quota true", "pools true"])
  stop.abort()
})

test("calls that the cloud does not answer, hundreds of them: not ready within a minute and a half, and not ten minutes later", async () => {
  const { clock, embedded, cloud, health, stop, load, run } = stage()
  load()
  run()
  await clock.advance("1s")
  embedded.fault = ({ service }) => (service === "neutron" ? { takes: 50_000 } : undefined)
  for (let at = 0; at < 400; at++) void cloud.neutron.subnets.list().catch(() => {})
  await clock.advance("91s")
  expect(health.checks()).toContainEqual(
    expect.objectContaining({ name: "quota", ok: false, reason: expect.stringMatching(/the question for quotas within 1m/) }),
  )
  stop.abort()
})

test("a quota that is used up: not ready, with what is used up, and the free count is a metric", async () => {
  const { clock, embedded, cloud, health, stop, run, metrics } = stage()
  const { project } = embedded.seed
  const { used } = (await cloud.neutron.quota(project)).port!
  await cloud.neutron.setQuota(project, { port: used, floatingip: 7 })
  run()
  await clock.advance("1s")
  expect(health.checks()).toContainEqual({ name: "quota", ok: false, reason: `all ${used} of port are used`, readyOnly: true })
  const text = metrics.text()
  expect(text).toContain('kuryr_quota_free_count{resource="port"} 0')
  expect(text).toContain('kuryr_quota_free_count{resource="floatingip"} 7')
  expect(text).toContain('kuryr_quota_free_count{resource="load_balancer"} -1')
  stop.abort()
})
