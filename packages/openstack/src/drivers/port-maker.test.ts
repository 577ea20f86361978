import { type PilothouseError, Semaphore, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Port } from "../clients/neutron/types.ts"
import type { PodPort, PodVifDriver } from "./pod-vif.ts"
import { PortMaker } from "./port-maker.ts"

const { signal } = new AbortController()
const pod = { uid: "u", namespace: "default", name: "web" }
const wish = { pod, node: "node1", hostIp: "", project: "p", network: "n", subnets: [], groups: [] }

test("a port is looked for only while nobody knows whether it was made: not any more once its answer came late", async () => {
  const clock = new VirtualClock()
  const answer = Promise.withResolvers<readonly PodPort[]>()
  let looks = 0
  const driver = {
    create: () => answer.promise,
    find: async () => {
      looks++
      return []
    },
  } as unknown as PodVifDriver
  const late: string[] = []
  const maker = new PortMaker({
    driver,
    clock,
    slots: new Semaphore(4),
    lost: () => {},
    isWanted: () => true,
    late: (_, { port }) => void late.push(port.id),
  })
  const made = maker.make(wish, signal, (port) => port).catch((error: PilothouseError) => error.code)
  await clock.advance("1m")
  expect([await made, maker.isAtIt(pod.uid)]).toEqual(["TIMEOUT", true])
  expect(await maker.find(pod, signal)).toEqual([])
  await expect(maker.make(wish, signal, (port) => port)).rejects.toMatchObject({ code: "RETRY_AFTER" })
  answer.resolve([{ port: { id: "its" } as Port }])
  await clock.advance("1s")
  expect([late, maker.isAtIt(pod.uid), await maker.find(pod, signal), looks]).toEqual([["its"], false, [], 1])
})
