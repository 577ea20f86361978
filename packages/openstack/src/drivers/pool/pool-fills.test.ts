import { Semaphore, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Port } from "../../clients/neutron/types.ts"
import type { PodVifDriver, PortRequest } from "../vif/pod-vif.ts"
import { PoolFills } from "./pool-fills.ts"
import { SparePorts } from "./spare-ports.ts"

const { signal } = new AbortController()
const request = { node: "node1", hostIp: "", project: "p", network: "n", subnets: [], groups: [] }

/** Pools of at least 3 and at most 6 ports, in a cloud that takes 30 s for each call; and how many were asked for in each. */
function stage() {
  const clock = new VirtualClock()
  const asked: number[] = []
  const create = async (requests: readonly PortRequest[]) => {
    asked.push(requests.length)
    await clock.sleep(30_000, { name: "the cloud" })
    return requests.map((_, at) => ({ port: { id: `${asked.length}-${at}` } as Port }))
  }
  const spare = new SparePorts({ min: 3, max: 6, batch: 5, updateFrequency: 20_000 })
  const driver = { create } as unknown as PodVifDriver
  return { clock, asked, spare, fills: new PoolFills({ driver, spare, clock, log: silentLog, slots: new Semaphore(4), lost: () => {} }) }
}

test("two pools are filled at once; one that waits for its turn is asked only then how many it lacks", async () => {
  const { clock, asked, spare, fills } = stage()
  for (const key of ["a", "b", "full by then", "two by then"]) fills.start(key, request, signal)
  await clock.advance("10s")
  expect(asked).toEqual([5, 5])
  for (const id of ["x", "y", "z"]) spare.add("full by then", { port: { id } as Port })
  for (const id of ["v", "w"]) spare.add("two by then", { port: { id } as Port })
  await clock.advance("2m")
  expect(asked).toEqual([5, 5, 5])
  expect(["a", "b", "full by then", "two by then"].map((key) => spare.size(key))).toEqual([5, 5, 3, 7])
  // Whether or not anything was made, it may be filled again.
  for (let at = 0; at < 3; at++) spare.take("full by then")
  fills.start("full by then", request, signal)
  await clock.advance("1m")
  expect(asked).toEqual([5, 5, 5, 5])
})
