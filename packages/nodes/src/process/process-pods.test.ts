import { type Container, configMaps, events, type LifecycleHandler, nodes, type Pod, pods, type Service } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import type { SpawnProcess } from "./spawn.ts"
import { type FakeHost, fakeHost } from "./test-spawn.ts"

function pod(container: Partial<Container> = {}, more: Partial<Pod["spec"] & object> = {}): Pod {
  const main = { name: "main", image: "process", command: ["serve"], ...container }
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels: { app: "web" } }, spec: { ...more, containers: [main] } }
}

async function start(options: ClusterOptions = {}): Promise<{ host: FakeHost; running: Cluster }> {
  const host = fakeHost()
  return { host, running: await cluster({ controllers: [], exec: host, kubeletEvents: true, ...options }) }
}

const status = async (running: Cluster) => (await running.client.get(pods, "default/web")).status

test("a pod whose image is process is one, on an address of its own", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply(
    pod({ args: ["--listen", "$(POD_IP):80"], env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }] }),
  )
  await running.settled()
  expect(await status(running)).toMatchObject({
    phase: "Running",
    podIP: "127.116.1.1",
    containerStatuses: [{ ready: true, started: true, restartCount: 0 }],
  })
  expect(host.started).toHaveLength(1)
  expect(host.started[0]).toMatchObject({
    argv: ["serve", "--listen", "127.116.1.1:80"],
    env: { POD_IP: "127.116.1.1", HOST: "127.116.1.1", HOSTNAME: "web", NODE: "node-1" },
  })
})

test("pods with other images stay simulated, and so are all where nobody asked for processes", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply(pod({ image: "nginx" }))
  await running.settled()
  expect([(await status(running))?.podIP, host.started.length]).toEqual(["10.244.1.1", 0])
  await using plain = await cluster({ controllers: [] })
  await plain.apply(pod())
  await plain.settled()
  expect((await status(plain))?.podIP).toBe("10.244.1.1")
})

test("its end is the container's end, and it is started again", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply(pod())
  await running.settled()
  await running.advance("20s")
  host.started[0]!.end({ exitCode: 3 })
  await running.settled()
  expect(host.started).toHaveLength(2)
  expect((await status(running))?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 3 } } })
  host.started[1]!.end({ exitCode: 3 })
  await running.settled()
  expect((await status(running))?.containerStatuses?.[0]?.state?.waiting?.reason).toBe("CrashLoopBackOff")
  await running.advance("11s")
  expect(host.started).toHaveLength(3)
})

test("a process whose container is given another image ran on beside the others of its pod", async () => {
  const { host, running } = await start()
  await using _ = running
  const { spec, ...one } = pod()
  await running.apply({ ...one, spec: { containers: [...spec!.containers, { name: "side", image: "process", command: ["help"] }] } })
  await running.settled()
  await running.client.patch(pods, "default/web", { spec: { containers: [{ name: "main", image: "Bad Name" }] } }, { type: "strategic" })
  await running.advance("5s")
  expect(host.started.map(({ argv, signals }) => [argv[0], signals])).toEqual([
    ["serve", ["SIGTERM"]],
    ["help", []],
  ])
  expect((await status(running))?.containerStatuses?.find(({ name }) => name === "main")).toMatchObject({
    state: { waiting: { reason: "InvalidImageName" } },
    lastState: { terminated: { exitCode: 0 } },
  })
  const told = (await running.list(events)).filter(({ reason }) => reason === "Killing")
  expect(told.map(({ message, count }) => [message, count])).toEqual([["Container main definition changed, will be restarted", 1]])
})

test("one that should end once has ended", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply(pod({}, { restartPolicy: "Never" }))
  await running.settled()
  host.started[0]!.end({ exitCode: 0 })
  await running.settled()
  expect((await status(running))?.phase).toBe("Succeeded")
})

test("probes say whether it is ready, and whether it lives", async () => {
  const { host, running } = await start()
  await using _ = running
  host.well = false
  const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 1 }
  const livenessProbe = { tcpSocket: { port: 80 }, periodSeconds: 5, initialDelaySeconds: 10, failureThreshold: 2 }
  await running.apply(pod({ readinessProbe, livenessProbe }))
  await running.advance("3s")
  expect((await status(running))?.containerStatuses?.[0]).toMatchObject({ ready: false, started: true })
  host.well = true
  await running.advance("2s")
  expect((await status(running))?.containerStatuses?.[0]?.ready).toBe(true)
  host.well = false
  await running.advance("16s")
  expect(host.started[0]?.signals).toEqual(["SIGTERM"])
  expect(host.started).toHaveLength(2)
})

test("people were told of a failed probe only when it made a difference", async () => {
  const { host, running } = await start()
  await using _ = running
  host.well = false
  await running.apply(pod({ readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 } }))
  await running.advance("4500ms")
  const told = (await running.list(events)).filter(({ reason }) => reason === "Unhealthy")
  expect(told.map(({ message, count }) => [message, count])).toEqual([["Readiness probe failed: connection refused", 5]])
})

describe("liveness was asked for of a process that has to end anyway", () => {
  const livenessProbe = { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 1 }

  test("because it does not live: people were told so each second, not once per verdict", async () => {
    const { host, running } = await start()
    await using _ = running
    host.obedient = false
    await running.apply(pod({ livenessProbe }, { terminationGracePeriodSeconds: 20 }))
    await running.settled()
    host.well = false
    await running.advance("10s")
    expect(host.started[0]?.signals).toEqual(["SIGTERM"])
    const told = (await running.list(events)).filter(({ reason }) => reason === "Unhealthy")
    expect(told.map(({ message, count }) => [message, count])).toEqual([["Liveness probe failed: connection refused", 1]])
  })

  test("because its pod is deleted", async () => {
    const host = fakeHost()
    host.obedient = false
    let asked = 0
    const tcp = async () => void asked++
    const { running } = await start({ exec: { ...host, probe: { ...host.probe, tcp } } })
    await using _ = running
    await running.apply(pod({ livenessProbe }, { terminationGracePeriodSeconds: 20 }))
    await running.advance("5s")
    await running.client.delete(pods, "default/web")
    await running.settled()
    const before = asked
    await running.advance("10s")
    expect([before > 0, asked - before, host.started[0]?.signals]).toEqual([true, 0, ["SIGTERM"]])
  })
})

const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
}

test("SIGTERM comes after its endpoints are known to go, and within a second", async () => {
  const { host, running } = await start({ controllers: ["endpointslice"] })
  await using _ = running
  await running.apply(service)
  await running.apply(pod())
  await running.advance("2s")
  const [slice] = await running.list(endpointSlices, { labelSelector: "kubernetes.io/service-name=web" })
  expect(slice?.endpoints?.[0]).toMatchObject({ addresses: ["127.116.1.1"], conditions: { ready: true } })
  await running.client.delete(pods, "default/web")
  await running.settled()
  expect(host.started[0]?.signals).toEqual([])
  await running.advance("1s")
  expect(host.started[0]?.signals).toEqual(["SIGTERM"])
  expect(await running.list(pods)).toEqual([])
})

test("one that does not listen is killed when its grace is over", async () => {
  const { host, running } = await start()
  await using _ = running
  host.obedient = false
  await running.apply(pod({}, { terminationGracePeriodSeconds: 5 }))
  await running.settled()
  await running.client.delete(pods, "default/web")
  await running.advance("4s")
  expect(host.started[0]?.signals).toEqual(["SIGTERM"])
  await running.advance("2s")
  expect([host.started[0]?.signals, await running.list(pods)]).toEqual([["SIGTERM", "SIGKILL"], []])
})

describe("a preStop hook was not heard of", () => {
  const stopping = async (preStop: LifecycleHandler, grace = 30) => {
    const { host, running } = await start()
    host.obedient = false
    await running.apply(pod({ lifecycle: { preStop } }, { terminationGracePeriodSeconds: grace }))
    await running.settled()
    await running.client.delete(pods, "default/web")
    return { running, host, signals: host.started[0]!.signals }
  }

  test("that sleeps: SIGTERM comes after it, and SIGKILL when the grace is over, of which it is a part", async () => {
    const { running, signals } = await stopping({ sleep: { seconds: 10 } })
    await using _ = running
    await running.advance("9s")
    expect(signals).toEqual([])
    await running.advance("3s")
    expect(signals).toEqual(["SIGTERM"])
    await running.advance("19s")
    expect(signals).toEqual(["SIGTERM", "SIGKILL"])
  })

  test("that takes more than the grace: two seconds are left for SIGTERM", async () => {
    const { running, signals } = await stopping({ sleep: { seconds: 30 } }, 5)
    await using _ = running
    await running.advance("4900ms")
    expect(signals).toEqual([])
    await running.advance("1100ms")
    expect(signals).toEqual(["SIGTERM"])
    await running.advance("2s")
    expect([signals, await running.list(pods)]).toEqual([["SIGTERM", "SIGKILL"], []])
  })

  test.each([0, 1])("that is a command: SIGTERM comes when that has ended, with exit code %i too", async (exitCode) => {
    const host = fakeHost()
    const drained: unknown[] = []
    const spawn: SpawnProcess = async (call, listener) => {
      if (call.argv[0] !== "drain") return host.spawn(call, listener)
      drained.push([call.env.POD_IP, ...host.started[0]!.signals])
      listener.end({ exitCode })
      return { signal() {} }
    }
    const { running } = await start({ exec: { ...host, spawn } })
    await using _ = running
    await running.apply(pod({ lifecycle: { preStop: { exec: { command: ["drain"] } } } }))
    await running.settled()
    await running.client.delete(pods, "default/web")
    await running.advance("2s")
    expect([drained, host.started[0]?.signals]).toEqual([[["127.116.1.1"]], ["SIGTERM"]])
  })

  test("that is a command which ends only when signalled: it is cut off when the grace is over", async () => {
    const { running, host } = await stopping({ exec: { command: ["drain"] } }, 5)
    await using _ = running
    const signals = () => host.started.map((one) => [one.argv[0], ...one.signals])
    await running.advance("4900ms")
    expect(signals()).toEqual([["serve"], ["drain"]])
    await running.advance("1100ms")
    expect(signals()).toEqual([["serve", "SIGTERM"], ["drain"]])
    await running.advance("2s")
    expect(signals()).toEqual([
      ["serve", "SIGTERM", "SIGKILL"],
      ["drain", "SIGKILL"],
    ])
    expect(await running.list(pods)).toEqual([])
  })

  test("of a container that does not live any more", async () => {
    const { host, running } = await start()
    await using _ = running
    const livenessProbe = { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 1 }
    await running.apply(pod({ livenessProbe, lifecycle: { preStop: { sleep: { seconds: 10 } } } }))
    await running.settled()
    host.well = false
    await running.advance("9s")
    expect(host.started[0]?.signals).toEqual([])
    await running.advance("3s")
    expect(host.started[0]?.signals).toEqual(["SIGTERM"])
  })
})

describe("a second deletion that left less time did nothing", () => {
  const livenessProbe = { tcpSocket: { port: 80 }, periodSeconds: 1 }
  const deletion = (running: Cluster, gracePeriodSeconds?: number) => running.client.delete(pods, "default/web", { gracePeriodSeconds })

  test.each<[string, number, (host: FakeHost, running: Cluster) => Promise<unknown>]>([
    ["of five seconds", 5, (_host, running) => deletion(running)],
    ["of none: the pod is torn away", 0, (_host, running) => deletion(running)],
    ["after its liveness probe had failed", 5, async (host) => (host.well = false)],
  ])("%s", async (_which, grace, before) => {
    const { host, running } = await start()
    await using _ = running
    host.obedient = false
    await running.apply(pod({ livenessProbe }, { terminationGracePeriodSeconds: 600 }))
    await running.settled()
    await before(host, running)
    await running.advance("5s")
    expect(host.started[0]?.signals).toEqual(["SIGTERM"])
    await deletion(running, grace)
    await running.advance("6s")
    expect([host.started[0]?.signals, await running.list(pods)]).toEqual([["SIGTERM", "SIGKILL"], []])
  })
})

describe("a sidecar that was a process ran on", () => {
  const sidecar = (name: string): Container => ({ name, image: "process", command: [name], restartPolicy: "Always" })
  const signals = ({ started }: FakeHost) => started.map(({ argv, signals: heard }) => [argv[0], ...heard].join(" "))

  test("when the work of its pod was done: they end one after the other, the last one first, and then the pod has", async () => {
    const { host, running } = await start()
    await using _ = running
    host.obedient = false
    await running.apply(pod({}, { restartPolicy: "Never", initContainers: [sidecar("first"), sidecar("second")] }))
    await running.settled()
    host.started[2]!.end({ exitCode: 0 })
    await running.advance("2s")
    expect(signals(host)).toEqual(["first", "second SIGTERM", "serve"])
    expect((await status(running))?.phase).toBe("Running")
    host.started[1]!.end({ exitCode: 0 })
    await running.settled()
    expect(signals(host)).toEqual(["first SIGTERM", "second SIGTERM", "serve"])
    expect((await status(running))?.phase).toBe("Running")
    host.started[0]!.end({ exitCode: 143 })
    await running.settled()
    const { phase, initContainerStatuses } = (await status(running))!
    expect([phase, ...initContainerStatuses!.map(({ state }) => state?.terminated?.exitCode)]).toEqual(["Succeeded", 143, 0])
    await running.advance("10m")
    expect(host.started).toHaveLength(3)
    const told = (await running.list(events)).filter(({ reason }) => reason === "Killing").map(({ message, count }) => [message, count])
    expect(told.sort()).toEqual([
      ["Stopping container first", 1],
      ["Stopping container second", 1],
    ])
  })

  test("when its pod's init container had failed for good", async () => {
    const { host, running } = await start()
    await using _ = running
    const work = { name: "work", image: "process", command: ["work"] }
    await running.apply(pod({}, { restartPolicy: "Never", initContainers: [sidecar("side"), work] }))
    await running.settled()
    host.started[1]!.end({ exitCode: 1 })
    await running.advance("2s")
    expect(signals(host)).toEqual(["side SIGTERM", "work"])
    expect((await status(running))?.phase).toBe("Failed")
  })

  test("and did not listen: it is killed when the grace is over", async () => {
    const { host, running } = await start()
    await using _ = running
    host.obedient = false
    const spec = {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 5,
      initContainers: [sidecar("first"), sidecar("second")],
    } as const
    await running.apply(pod({}, spec))
    await running.settled()
    host.started[2]!.end({ exitCode: 0 })
    await running.advance("4s")
    expect(signals(host)).toEqual(["first", "second SIGTERM", "serve"])
    await running.advance("4s")
    expect(signals(host)).toEqual(["first SIGTERM SIGKILL", "second SIGTERM SIGKILL", "serve"])
    expect((await status(running))?.phase).toBe("Succeeded")
  })

  test("and was told to stop before those whom it helps", async () => {
    const { host, running } = await start()
    await using _ = running
    host.obedient = false
    await running.apply(pod({}, { initContainers: [sidecar("side")] }))
    await running.settled()
    await running.client.delete(pods, "default/web")
    await running.advance("5s")
    expect(signals(host)).toEqual(["side", "serve SIGTERM"])
    host.started[1]!.end({ exitCode: 0 })
    await running.settled()
    expect(signals(host)).toEqual(["side SIGTERM", "serve SIGTERM"])
  })
})

test("a pod that is torn away takes its process with it", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply(pod())
  await running.settled()
  await running.client.delete(pods, "default/web", { gracePeriodSeconds: 0 })
  await running.advance("11s")
  expect(host.started[0]?.signals).toEqual(["SIGTERM"])
})

test.each([
  ["that obey", true, ["SIGTERM"]],
  ["that do not", false, ["SIGTERM", "SIGKILL"]],
])("the processes of a node that was deleted ran on: those %s", async (_which, obedient, signals) => {
  const { host, running } = await start()
  await using _ = running
  host.obedient = obedient
  await running.apply(pod())
  await running.settled()
  await running.client.delete(nodes, "node-1")
  await running.advance("11s")
  expect(host.started.map((one) => one.signals)).toEqual([signals])
})

test("what cannot be started says why, and is tried again", async () => {
  const { host, running } = await start()
  await using _ = running
  const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }]
  await running.apply(pod({ env }))
  await running.settled()
  expect((await status(running))?.containerStatuses?.[0]?.state?.waiting).toEqual({
    reason: "CreateContainerConfigError",
    message: 'configmap "settings" not found',
  })
  await running.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "1" } })
  await running.advance("1s")
  expect(host.started[0]?.env.A).toBe("1")
  expect((await status(running))?.phase).toBe("Running")
})

test("a process that had run and could not be started again made its node spin", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "1" } })
  await running.apply(pod({ envFrom: [{ configMapRef: { name: "settings" } }] }))
  await running.settled()
  await running.client.delete(configMaps, "default/settings")
  await running.advance("20s")
  host.started[0]!.end({ exitCode: 3 })
  await running.advance("30s")
  expect((await status(running))?.containerStatuses?.[0]).toMatchObject({
    restartCount: 0,
    state: { waiting: { reason: "CreateContainerConfigError", message: 'configmap "settings" not found' } },
    lastState: { terminated: { exitCode: 3 } },
  })
  await running.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "2" } })
  await running.advance("11s")
  expect(host.started.map(({ env }) => env.a)).toEqual(["1", "2"])
  expect((await status(running))?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: true })
})

test("a container without a command is told that it needs one", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply(pod({ command: undefined }))
  await running.settled()
  expect((await status(running))?.containerStatuses?.[0]?.state?.waiting).toEqual({
    reason: "CreateContainerConfigError",
    message: "expected command or args, found none: the image process has no program of its own",
  })
  expect(host.started).toEqual([])
})

test("an ephemeral container that wanted to be a process was told of a property of undefined", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply(pod())
  await running.settled()
  const ephemeralContainers = [{ name: "debug", image: "process", command: ["look"] }]
  const how = { type: "strategic", subresource: "ephemeralcontainers" } as const
  await running.client.patch(pods, "default/web", { spec: { ephemeralContainers } }, how)
  await running.advance("30s")
  expect((await status(running))?.ephemeralContainerStatuses?.[0]?.state?.waiting).toEqual({
    reason: "CreateContainerConfigError",
    message: "expected an image that is simulated, found process: an ephemeral container cannot be a process of this host",
  })
  expect(host.started).toHaveLength(1)
})

test("a program that is not there", async () => {
  const { running } = await start()
  await using _ = running
  await running.apply(pod({ command: ["nowhere"] }))
  await running.settled()
  expect((await status(running))?.containerStatuses?.[0]?.state?.waiting).toMatchObject({ reason: "RunContainerError" })
})

test("one that finds its port taken is told what to do", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply(pod())
  await running.settled()
  host.started[0]!.line("Error: listen EADDRINUSE: address already in use 0.0.0.0:80")
  host.started[0]!.end({ exitCode: 1 })
  await running.advance("1s")
  const told = (await running.list(events)).find(({ reason }) => reason === "PortTaken")
  expect(told?.message).toContain("let it listen on $POD_IP (127.116.1.1)")
})

test("where the system has one address only, all share it, and who finds its port taken is told why", async () => {
  const host = fakeHost()
  await using running = await cluster({ controllers: [], exec: { ...host, oneAddress: true }, kubeletEvents: true })
  await running.apply(pod())
  await running.settled()
  expect((await status(running))?.podIP).toBe("127.0.0.1")
  host.started[0]!.line("bind: Address already in use")
  host.started[0]!.end({ exitCode: 1 })
  await running.advance("1s")
  const told = (await running.list(events)).find(({ reason }) => reason === "PortTaken")
  expect(told?.message).toContain("only one pod can have a port")
})

test("what it prints is its log, also that of the run before", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply(pod())
  await running.settled()
  host.started[0]!.line("first")
  host.started[0]!.end({ exitCode: 1 })
  await running.settled()
  host.started[1]!.line("second")
  const log = async (query: Readonly<Record<string, string>>) => {
    const { body } = await running.transport({ verb: "GET", path: "/api/v1/namespaces/default/pods/web/log", query, headers: {} })
    return body.type === "bytes" ? new TextDecoder().decode(body.bytes) : body
  }
  expect([await log({}), await log({ previous: "true" })]).toEqual(["second\n", "first\n"])
})

test("processes end with the cluster", async () => {
  const { host, running } = await start()
  await running.apply(pod())
  await running.settled()
  await running.close()
  expect(host.started[0]?.signals).toEqual(["SIGTERM"])
})
