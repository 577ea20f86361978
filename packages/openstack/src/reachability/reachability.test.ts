import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Neutron } from "../clients/neutron/neutron.ts"
import type { SecurityGroup } from "../clients/neutron/types.ts"
import { Reachability } from "./reachability.ts"

const traffic = [{ from: "10.0.0.0/8", protocol: "TCP", port: 80 }]

/** A Neutron that answers on demand, and ends a read with its signal. */
function slowNeutron() {
  const answer = Promise.withResolvers<Pick<SecurityGroup, "security_group_rules">>()
  let asked = 0
  const find = (_id: string, options: { readonly signal?: AbortSignal } = {}) => {
    asked++
    options.signal?.addEventListener("abort", () => answer.reject(options.signal?.reason))
    return answer.promise
  }
  return { neutron: { securityGroups: { find } } as unknown as Pick<Neutron, "securityGroups">, answer, asked: () => asked }
}

test("two ask for one group and the first gives up: the second has its answer, of one question", async () => {
  const { neutron, answer, asked } = slowNeutron()
  const reachability = new Reachability(neutron, new VirtualClock())
  const stop = new AbortController()
  const first = reachability.missing(["pods"], traffic, { signal: stop.signal })
  const second = reachability.missing(["pods"], traffic, { signal: new AbortController().signal })
  stop.abort()
  await expect(first).rejects.toMatchObject({ code: "ABORTED" })
  answer.resolve({ security_group_rules: [] })
  expect(await second).toEqual([expect.stringContaining("no rule lets 10.0.0.0/8 reach tcp 80")])
  expect(asked()).toBe(1)
})
