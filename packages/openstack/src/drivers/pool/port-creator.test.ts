import { type PilothouseError, Semaphore, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Port } from "../../clients/neutron/types.ts"
import type { PodPort, PodVifDriver } from "../vif/pod-vif.ts"
import { PortCreator } from "./port-creator.ts"

const { signal } = new AbortController()
const pod = { uid: "u", namespace: "default", name: "web" }
const request = { pod, node: "node1", hostIp: "", project: "p", network: "n", subnets: [], groups: [] }

test("searches for a port only while its create is in doubt, not after a late response", async () => {
  const clock = new VirtualClock()
  const answer = Promise.withResolvers<readonly PodPort[]>()
  let finds = 0
  const driver = {
    create: () => answer.promise,
    find: async () => {
      finds++
      return []
    },
  } as unknown as PodVifDriver
  const late: string[] = []
  const creator = new PortCreator({
    driver,
    clock,
    slots: new Semaphore(4),
    lost: () => {},
    isNeeded: () => true,
    late: (_, { port }) => void late.push(port.id),
  })
  const made = creator.create(request, signal, (port) => port).catch((error: PilothouseError) => error.code)
  await clock.advance("1m")
  expect([await made, creator.isCreating(pod.uid)]).toEqual(["TIMEOUT", true])
  expect(await creator.find(pod, signal)).toEqual([])
  await expect(creator.create(request, signal, (port) => port)).rejects.toMatchObject({ code: "RETRY_AFTER" })
  answer.resolve([{ port: { id: "its" } as Port }])
  await clock.advance("1s")
  expect([late, creator.isCreating(pod.uid), await creator.find(pod, signal), finds]).toEqual([["its"], false, [], 1])
})
