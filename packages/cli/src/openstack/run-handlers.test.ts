import { pods } from "@pilothouse/api/core/v1"
import { cloudOfKuryrConf, EmbeddedOpenStack, kuryrConfiguration, podAddress, serveOpenStack } from "@pilothouse/openstack"
import { createManager } from "@pilothouse/runtime"
import { memoryMetrics, recordingLog, seededRandom, silentLog } from "@pilothouse/seams"
import { systemClock, systemFiles } from "@pilothouse/seams/system"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { runHandlers } from "./run-handlers.ts"

/** A cluster, a cloud behind HTTP, and the handlers between them, as `run --openstack` has them. In real time: there are sockets. */
async function stage(dryRun: boolean) {
  const random = seededRandom(3)
  const embedded = new EmbeddedOpenStack({ clock: systemClock, random, knobs: { portDelay: 5, loadBalancerDelay: 5 } })
  const served = await serveOpenStack(embedded)
  const there = await cluster({ time: "real", nodes: 1, controllers: ["endpoint", "endpointslice"], network: podAddress })
  const { seed } = embedded
  const neutron = { auth_url: served.authUrl, username: seed.user.name, password: seed.user.password, project_name: seed.projectName }
  const neutron_defaults = {
    project: seed.project,
    pod_subnet: seed.podSubnet,
    service_subnet: embedded.serviceSubnet("10.96.0.0/12"),
    pod_security_groups: seed.podSecurityGroup,
  }
  const stop = new AbortController()
  const metrics = memoryMetrics()
  const seams = { clock: systemClock, random, log: silentLog, metrics, transport: there.transport }
  const settings = { configuration: kuryrConfiguration({ neutron_defaults }), access: cloudOfKuryrConf({ neutron })! }
  const handlers = await runHandlers({ ...settings, ...seams, files: systemFiles, dryRun, signal: stop.signal })
  const manager = createManager({ ...seams, controllers: handlers.controllers, checks: handlers.checks, dryRun, grace: 100 })
  const running = manager.run(stop.signal)
  const close = async () => {
    stop.abort()
    await running
    await handlers[Symbol.asyncDispose]()
    await there.close()
    await served[Symbol.asyncDispose]()
  }
  return { embedded, there, manager, handlers, metrics, [Symbol.asyncDispose]: close }
}

const web = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default" },
  spec: { nodeName: "node-1", containers: [{ name: "web", image: "web" }] },
}

/** What is right takes a moment; two minutes are for what never comes. */
async function eventually<T>(ask: () => Promise<T> | T, wanted: (found: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const found = await ask()
    if (wanted(found) || tries === 12_000) return found
    await systemClock.sleep(10, { name: "a test checks again" })
  }
}

test("options without effect are warned of before anything is asked", async () => {
  const embedded = new EmbeddedOpenStack({ clock: systemClock, random: seededRandom(3) })
  const neutron_defaults = { project: "p", pod_subnet: "a", service_subnet: "b", pod_security_groups: "g", ovs_brigde: "x" }
  const { log, lines } = recordingLog()
  const signal = AbortSignal.abort()
  const seams = { clock: systemClock, random: seededRandom(3), log, metrics: memoryMetrics(), files: systemFiles, signal }
  const settings = { configuration: kuryrConfiguration({ neutron_defaults }), access: embedded.access(), repeated: ["[vif_pool] x"] }
  const transport = () => Promise.reject(new Error("no request is expected"))
  await expect(runHandlers({ ...settings, ...seams, transport, dryRun: true })).rejects.toThrow()
  expect(lines.filter(({ level }) => level === "warn").map(({ fields }) => fields?.option)).toEqual([
    "[neutron_defaults] ovs_brigde; did you mean ovs_bridge?",
    "[vif_pool] x",
  ])
})

test("a pod becomes Running with the address of its port; health and metrics include the cloud", async () => {
  await using it = await stage(false)
  await it.there.apply(web)
  const pod = await eventually(
    () => it.there.client.get(pods, "default/web"),
    ({ status }) => status?.phase === "Running",
  )
  const [port] = [...it.embedded.neutron.ports.values()].filter(({ name }) => name === "web")
  expect(pod.status).toMatchObject({ phase: "Running", podIP: port?.fixed_ips[0]?.ip_address })
  const checks = await eventually(
    () => it.manager.health.ready(),
    (found) => found.every(({ ok }) => ok),
  )
  expect(checks.filter(({ ok }) => ok).map(({ name }) => name)).toEqual(
    expect.arrayContaining(["caches", "keystone", "quota", "pools", "vif", "vif-objects"]),
  )
  // /readyz/vif must not have two answers.
  expect(checks).toHaveLength(new Set(checks.map(({ name }) => name)).size)
  expect(it.metrics.text()).toContain('kuryr_quota_free_count{resource="port"} -1')
})

test("a dry run decides, and neither the cluster nor the cloud is changed", async () => {
  await using it = await stage(true)
  const before = it.embedded.writes
  await it.there.apply(web)
  const looks = await eventually(
    () => it.manager.trace.entries().filter(({ controller, key }) => controller === "vif" && key === "default/web"),
    (found) => found.some(({ plan }) => plan?.steps.some(({ operations }) => operations.length > 0)),
  )
  expect(looks.flatMap(({ plan }) => plan?.steps.flatMap(({ operations }) => operations.map((one) => one.do)) ?? [])).toContain(
    "ensure-port",
  )
  expect((await it.there.client.get(pods, "default/web")).metadata.annotations).toBeUndefined()
  expect(it.embedded.writes).toBe(before)
})

test("a cloud that is away makes the process not ready, and is no reason to restart", async () => {
  await using it = await stage(false)
  it.embedded.fault = () => ({ status: 503 })
  const { CloudHealth, openStack } = await import("@pilothouse/openstack")
  const cloud = openStack({ access: it.embedded.access(), connect: it.embedded.connect, clock: systemClock, retries: 0 })
  const health = new CloudHealth({ cloud, project: it.embedded.seed.project, clock: systemClock, poolsLoaded: () => true })
  const checks = await health.check(new AbortController().signal)
  expect(checks).toMatchObject([{ name: "keystone", ok: false, readyOnly: true }])
  expect(it.manager.health.live().map(({ name }) => name)).not.toContain("keystone")
})
