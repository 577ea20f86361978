import { configMaps, events, pods } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { pod, start, status } from "./testing/process-pods.ts"
import { fakeHost } from "./testing/spawn.ts"

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

test("pods with other images stay simulated, and so are all where processes are not enabled", async () => {
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

test("records an event for each failed probe", async () => {
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

  test("because it does not live: an event is recorded once per verdict, not each second", async () => {
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

test("an event says that a container without a command needs one", async () => {
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

test("an ephemeral container is a process beside the others, once, and ends with its pod", async () => {
  const { host, running } = await start()
  await using _ = running
  await running.apply(pod())
  await running.settled()
  const add = (name: string, command: string) => {
    const ephemeralContainers = [{ name, image: "process", command: [command] }]
    return running.client.patch(
      pods,
      "default/web",
      { spec: { ephemeralContainers } },
      { type: "strategic", subresource: "ephemeralcontainers" },
    )
  }
  await add("debug", "look")
  await add("stays", "wait")
  await running.settled()
  expect(host.started.map(({ argv }) => argv[0])).toEqual(["serve", "look", "wait"])
  host.started[1]!.end({ exitCode: 3 })
  await running.advance("1m")
  const states = Object.fromEntries((await status(running))?.ephemeralContainerStatuses?.map(({ name, state }) => [name, state]) ?? [])
  expect(states).toMatchObject({ debug: { terminated: { exitCode: 3 } }, stays: { running: {} } })
  expect([host.started.length, (await status(running))?.phase]).toEqual([3, "Running"])
  await running.client.delete(pods, "default/web")
  await running.advance("1m")
  expect(host.started.map(({ signals }) => signals[0])).toEqual(["SIGTERM", undefined, "SIGTERM"])
})

test("a program that is not there", async () => {
  const { running } = await start()
  await using _ = running
  await running.apply(pod({ command: ["nowhere"] }))
  await running.settled()
  expect((await status(running))?.containerStatuses?.[0]?.state?.waiting).toMatchObject({ reason: "RunContainerError" })
})

test("an event says what to do where a port is taken", async () => {
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

test("where the system has one address only, all share it, and an event says why a port is taken", async () => {
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
