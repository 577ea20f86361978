import { type Duration, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { LoadBalancerPolls } from "./load-balancer-polls.ts"
import type { Octavia } from "./octavia.ts"

/** An Octavia whose load balancers are as told so many milliseconds after they were made, and polls of it. */
function testPolls() {
  const clock = new VirtualClock()
  let end = { at: 0, status: "ACTIVE" }
  let reads = 0
  const find = async (id: string) => {
    reads++
    return { id, name: id, provisioning_status: clock.elapsed() < end.at ? "PENDING_CREATE" : end.status }
  }
  const polls = new LoadBalancerPolls({ octavia: { loadBalancers: { find } } as unknown as Octavia, clock })
  /** Makes one and waits for it: how it ended, and after how many milliseconds. */
  async function made(
    takes: number,
    { status = "ACTIVE", timeout = "300s" }: { readonly status?: string; readonly timeout?: Duration } = {},
  ): Promise<readonly [string, number]> {
    const began = clock.elapsed()
    end = { at: began + takes, status }
    const waiting = polls.untilActive("one", { fresh: true, timeout }).then(
      ({ provisioning_status }) => [provisioning_status, clock.elapsed() - began] as const,
      (error: Error) => [error.message, clock.elapsed() - began] as const,
    )
    await clock.advance("10m")
    return waiting
  }
  return { made, reads: () => reads }
}

async function afterSlowOnes() {
  const { made } = testPolls()
  for (let count = 0; count < 5; count++) {
    const [status, took] = await made(200_000)
    expect(status).toBe("ACTIVE")
    expect(took).toBeLessThan(201_100)
  }
  return made
}

test("the cloud became fast again: one that is ready soon is seen soon, however long the last ones took", async () => {
  const made = await afterSlowOnes()
  const [status, took] = await made(5_000)
  expect(status).toBe("ACTIVE")
  expect(took).toBeLessThanOrEqual(10_000)
})

test("reports ERROR soon, however long the last ones took", async () => {
  const made = await afterSlowOnes()
  const [message, took] = await made(5_000, { status: "ERROR" })
  expect(message).toContain("found ERROR")
  expect(took).toBeLessThanOrEqual(10_000)
})

test("counts the wait before the first read into the timeout", async () => {
  const made = await afterSlowOnes()
  expect(await made(400_000)).toEqual([expect.stringContaining("in time, found it still in PENDING_CREATE"), 300_000])
  expect(await made(400_000, { timeout: "5s" })).toEqual([expect.stringContaining("in time"), 5_000])
})

test("needs one read once it is known how long they take", async () => {
  const { made, reads } = testPolls()
  await made(3_000)
  const before = reads()
  expect(await made(2_000)).toEqual(["ACTIVE", expect.any(Number)])
  expect([before > 1, reads() - before]).toEqual([true, 1])
})
