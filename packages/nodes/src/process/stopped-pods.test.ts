import { type Container, events, type LifecycleHandler, nodes, pods, type Service } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { type Cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import type { SpawnProcess } from "./system/spawn.ts"
import { pod, start, status } from "./testing/process-pods.ts"
import { type FakeHost, fakeHost } from "./testing/spawn.ts"

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

describe("a preStop hook", () => {
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
  const signals = ({ started }: FakeHost) => started.map(({ argv, signals: received }) => [argv[0], ...received].join(" "))

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

  test("and stops after those that it helps", async () => {
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
