import { PilothouseError, Semaphore, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Port } from "../../clients/neutron/types.ts"
import { CreateRefused } from "../creation/create-refused.ts"
import { PartialCreateError } from "../vif/partial-create-error.ts"
import type { PodPort, PortRequest } from "../vif/pod-vif.ts"
import { PortBatches } from "./port-batches.ts"

const { signal } = new AbortController()

function testRequest(uid: string, node: string): PortRequest {
  return { pod: { uid, namespace: "default", name: uid }, node, hostIp: node, project: "p", network: "n", subnets: [], groups: [] }
}

/** A cloud with one node that refuses, in these words, and calls that take so long; who was asked for in each call, and what came late. */
function stage({ takes = 1_000, refusal = new CreateRefused("its trunk refuses") as Error } = {}) {
  const clock = new VirtualClock()
  const asked: string[] = []
  const late: string[] = []
  let lost = 0
  const testPort = ({ pod, node }: PortRequest): PodPort => ({ port: { id: `${pod?.uid} ${asked.length}` } as Port, host: node })
  const create = async (requests: readonly PortRequest[]) => {
    asked.push(requests.map(({ pod }) => pod?.uid).join())
    await clock.sleep(takes, { name: "the cloud" })
    const outcomes = requests.map((request) =>
      request.node === "refuses"
        ? ({ status: "rejected", reason: refusal } as const)
        : ({ status: "fulfilled", value: testPort(request) } as const),
    )
    if (outcomes.every(({ status }) => status === "rejected")) throw refusal
    if (outcomes.some(({ status }) => status === "rejected")) throw new PartialCreateError(outcomes)
    return requests.map(testPort)
  }
  const batches = new PortBatches({
    create,
    clock,
    slots: new Semaphore(4),
    isNeeded: () => true,
    late: (_, { port }) => late.push(port.id),
    lost: () => lost++,
  })
  const make = (uid: string, node: string) =>
    batches.create(testRequest(uid, node), signal).then(
      ({ port }) => port.id,
      (error: Error) => error.message,
    )
  return { clock, asked, late, lost: () => lost, make }
}

test("pods in one call with one whose node refuses get their ports at once, without a second call", async () => {
  const { clock, asked, lost, make } = stage()
  const both = [make("web", "well"), make("bad", "refuses"), make("db", "well")]
  await clock.advance("3s")
  expect(await Promise.all(both)).toEqual(["web 1", "its trunk refuses", "db 1"])
  expect([asked, lost()]).toEqual([["web,bad,db"], 0])
})

test("several whose node refuses are tried one by one: it may have room for one", async () => {
  const { clock, asked, make } = stage()
  const some = [make("web", "well"), make("bad", "refuses"), make("worse", "refuses")]
  await clock.advance("10s")
  expect(await Promise.all(some)).toEqual(["web 1", "its trunk refuses", "its trunk refuses"])
  expect(asked).toEqual(["web,bad,worse", "bad", "worse"])
})

test("reports a refusal with an unknown remainder as such, and does not retry", async () => {
  const { clock, asked, lost, make } = stage({ refusal: new PilothouseError("CLOUD", "and could not be removed") })
  const some = [make("web", "well"), make("bad", "refuses"), make("worse", "refuses")]
  await clock.advance("10s")
  expect(await Promise.all(some)).toEqual(["web 1", "and could not be removed", "and could not be removed"])
  expect([asked.length, lost()]).toEqual([1, 1])
})

test("assigns the ports of a partial create also when no caller waits any more", async () => {
  const { clock, late, make } = stage({ takes: 100_000 })
  const both = [make("web", "well"), make("bad", "refuses")]
  await clock.advance("10m")
  expect((await Promise.all(both)).every((reported) => reported.includes("POST /v2.0/ports"))).toBe(true)
  expect(late).toEqual(["web 1"])
})
