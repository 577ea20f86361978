import { recordingLog, seededRandom, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { createApiServer } from "../api-server.ts"
import { managedFieldsOf } from "../managedfields/object-managed-fields.ts"
import { memoryStorage } from "../storage/memory.ts"
import { objectIn } from "../testing/server.ts"

const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"

function start(storage = memoryStorage(), clock = new VirtualClock(), address = "192.0.2.1") {
  const advertise = { address, port: 6443 }
  const { log, lines } = recordingLog()
  const server = createApiServer({ clock, random: seededRandom(clock.now()), storage, hostname: "vm", advertise, log })
  const leases = async () => {
    const answer = await server.transport()({ verb: "GET", path, query: {}, headers: {} })
    return objectIn(answer).items ?? []
  }
  return { server, clock, storage, leases, lines }
}

test("a server with a host has a Lease, which it renews every ten seconds until it is closed", async () => {
  const { server, clock, storage, leases } = start()
  const [first] = await leases()
  expect(first?.metadata).toMatchObject({
    name: "apiserver-lphjr5z7h3imqn7sokpnsue3ha",
    labels: { "apiserver.kubernetes.io/identity": "kube-apiserver", "kubernetes.io/hostname": "vm" },
    annotations: { "kubernetes.io/peer-advertise-address": "192.0.2.1:6443" },
  })
  expect(first?.spec).toMatchObject({ leaseDurationSeconds: 3600 })
  await clock.run(clock.sleep(10_500))
  const [renewed] = await leases()
  expect(renewed?.metadata.uid).toBe(first?.metadata.uid)
  expect(Date.parse(String(renewed?.spec?.renewTime)) - Date.parse(String(first?.spec?.renewTime))).toBe(10_000)
  await server.close()
  const { revision } = storage
  await clock.run(clock.sleep(60_000))
  expect(storage.revision).toBe(revision)
})

test("a renewal moves the time of its only manager", async () => {
  const { server, clock, storage, leases } = start()
  await leases()
  const managers = () => {
    const lease = storage.list("").items.find(({ value }) => value.kind === "Lease")
    return managedFieldsOf(lease!.value).map(({ manager, operation, time }) => ({ manager, operation, time }))
  }
  const owner = { manager: "kube-apiserver", operation: "Update" }
  expect(managers()).toEqual([{ ...owner, time: "2026-01-05T09:00:00Z" }])
  await clock.run(clock.sleep(10_500))
  expect(managers()).toEqual([{ ...owner, time: "2026-01-05T09:00:10Z" }])
  await server.close()
})

test("an IPv6 address is separated from its port", async () => {
  const { server, leases } = start(memoryStorage(), new VirtualClock(), "2001:db8::1")
  const [lease] = await leases()
  expect(lease?.metadata.annotations).toEqual({ "kubernetes.io/peer-advertise-address": "[2001:db8::1]:6443" })
  await server.close()
})

test("the next run of the same host takes it over", async () => {
  const before = start()
  const [first] = await before.leases()
  const [second, ...others] = await start(before.storage, new VirtualClock({ start: before.clock.now() + 60_000 })).leases()
  expect(others).toEqual([])
  expect(second?.metadata.uid).toBe(first?.metadata.uid)
  expect(second?.spec?.holderIdentity).not.toBe(first?.spec?.holderIdentity)
})

test("a clock that has gone back is logged once, with its consequences", async () => {
  const before = start()
  await before.leases()
  await before.server.close()
  const day = 24 * 3_600_000
  const clock = new VirtualClock({ start: before.clock.now() - day })
  const { server, leases, lines } = start(before.storage, clock)
  await leases()
  await clock.run(clock.sleep(30_000))
  expect(lines).toEqual([
    {
      level: "warn",
      message:
        "the clock has gone back: it says 2026-01-04T09:00:00Z, and this API server was up at 2026-01-05T09:00:00Z already; " +
        "tokens and certificates that were made since are refused until then; set the clock right",
      fields: {},
    },
  ])
  await server.close()
})

test("a clock that was put right by a little is none of it", async () => {
  const before = start()
  await before.leases()
  const { leases, lines } = start(before.storage, new VirtualClock({ start: before.clock.now() - 59_000 }))
  await leases()
  expect(lines).toEqual([])
})

test("a server without a host has none", async () => {
  const server = createApiServer({ clock: new VirtualClock(), random: seededRandom(1) })
  expect(objectIn(await server.transport()({ verb: "GET", path, query: {}, headers: {} })).items).toEqual([])
})
