import { conflict, serviceUnavailable } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import { cidrsOverlap, parseCidr } from "@pilothouse/api/net"
import type { CacheObserver, Result } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { allocatedBlocks } from "./blocks.ts"
import { decide, settle } from "./decide.ts"
import { nodesByBlock, observe, releaseShownBlocks } from "./observe.ts"
import { Pool, rememberHoldsIn } from "./pool.ts"
import { type NodeIpamOptions, parseClusterRanges, parseServiceRanges } from "./ranges.ts"

function node(name: string, podCIDRs: readonly string[] = [], metadata: Partial<Node["metadata"]> = {}): Node {
  const spec = podCIDRs.length === 0 ? {} : { podCIDR: podCIDRs[0], podCIDRs }
  return { apiVersion: "v1", kind: "Node", metadata: { name, uid: `u-${name}`, resourceVersion: "3", ...metadata }, spec }
}

/** Nodes and a pool: what the controller has, without a server. */
function allocator(options: NodeIpamOptions, present: readonly Node[] = []) {
  const ranges = parseClusterRanges(options)
  const pool = new Pool(ranges, parseServiceRanges(options))
  const known = new Map(present.map((one) => [one.metadata.name ?? "", one]))
  const isTaken = (block: string) => [...known.values()].some((one) => allocatedBlocks(one, ranges).includes(block))
  const hold = (name: string) => {
    const choice = pool.choose(name, isTaken)
    if (choice !== undefined) pool.hold(name, choice)
    return choice?.blocks
  }
  return {
    ranges,
    known,
    pool,
    give(name: string): readonly string[] | undefined {
      const blocks = hold(name)
      if (blocks !== undefined) known.set(name, node(name, blocks))
      pool.release(name)
      return blocks
    },
    hold,
    isTaken,
  }
}

const small = { clusterCidr: "10.7.0.0/29", maskSize: 30 }

describe("blocks of a node are released by the cache, not by a reconcile", () => {
  const [old, leaving] = [node("a"), { deletionTimestamp: "2026-01-05T09:00:00Z" }]
  test.each<[name: string, told: (follower: CacheObserver) => void, next: readonly string[] | undefined]>([
    ["a node that still has none keeps them", (f) => f.changed({ type: "updated", old, object: node("a") }), undefined],
    ["when it is gone", (f) => f.changed({ type: "deleted", object: old, finalStateUnknown: false }), ["10.7.0.0/30"]],
    ["when it has some", (f) => f.changed({ type: "updated", old, object: node("a", ["10.9.0.0/30"]) }), ["10.7.0.0/30"]],
    ["when it is on its way out", (f) => f.changed({ type: "updated", old, object: node("a", [], leaving) }), ["10.7.0.0/30"]],
    ["when the cache restarts", (f) => f.restart(), ["10.7.0.0/30"]],
  ])("%s", (_name, told, next) => {
    const { hold, pool } = allocator(small, [node("other", ["10.7.0.4/30"])])
    expect(hold("a")).toEqual(["10.7.0.0/30"])
    told(releaseShownBlocks(pool))
    expect(hold("b")).toEqual(next)
  })
})

describe("AllocateOrOccupyCIDR", () => {
  test.each<[name: string, options: NodeIpamOptions, present: readonly Node[], expected: readonly string[] | undefined]>([
    ["When there's no ServiceCIDR return first CIDR in range", small, [], ["10.7.0.0/30"]],
    ["Correctly filter out ServiceCIDR", { ...small, serviceRange: "10.7.0.0/30" }, [], ["10.7.0.4/30"]],
    ["a Service range around all of it leaves none", { ...small, serviceRange: "10.7.0.0/16" }, [], undefined],
    ["Correctly ignore already allocated CIDRs", small, [node("a", ["10.7.0.0/30"])], ["10.7.0.4/30"]],
    [
      "no double counting: two nodes with one block take one",
      small,
      [node("a", ["10.7.0.0/30"]), node("b", ["10.7.0.0/30"])],
      ["10.7.0.4/30"],
    ],
    ["one that is smaller takes the block it is in", small, [node("a", ["10.7.0.1/32"])], ["10.7.0.4/30"]],
    ["one that is larger takes all that are in it", small, [node("a", ["10.0.0.0/8"])], undefined],
    ["Dualstack CIDRs v4,v6", { clusterCidr: "10.8.0.0/16,fd08::/48" }, [], ["10.8.0.0/24", "fd08::/64"]],
    ["Dualstack CIDRs v6,v4", { clusterCidr: "fd08::/48,10.8.0.0/16" }, [], ["fd08::/64", "10.8.0.0/24"]],
    [
      "each family goes on by itself",
      { clusterCidr: "10.8.0.0/16,fd08::/48", maskSizeIpv4: 26, maskSizeIpv6: 60 },
      [node("a", ["10.8.0.0/26"])],
      ["10.8.0.64/26", "fd08::/60"],
    ],
    ["fully allocated: none is left", small, [node("a", ["10.7.0.0/30"]), node("b", ["10.7.0.4/30"])], undefined],
    ["the range is one block", { clusterCidr: "10.7.1.0/24" }, [], ["10.7.1.0/24"]],
    [
      "OccupyPreExistingCIDR: what lies elsewhere, or is no block, takes none",
      small,
      [node("a", ["172.16.0.0/24"]), node("b", ["rubbish"])],
      ["10.7.0.0/30"],
    ],
  ])("%s", (_name, options, present, expected) => {
    expect(allocator(options, present).give("new")).toEqual(expected)
  })

  test("Correctly recycle CIDR: a freed block comes last", () => {
    const { give, known } = allocator({ clusterCidr: "10.7.0.0/28", maskSize: 30 })
    expect([give("a"), give("b")]).toEqual([["10.7.0.0/30"], ["10.7.0.4/30"]])
    known.delete("a")
    expect([give("c"), give("d"), give("e"), give("f")]).toEqual([["10.7.0.8/30"], ["10.7.0.12/30"], ["10.7.0.0/30"], undefined])
  })

  test("a held block is not given to another node until the cache shows what the node has", () => {
    const { hold, pool } = allocator(small)
    expect([hold("a"), hold("b"), hold("a"), hold("c")]).toEqual([["10.7.0.0/30"], ["10.7.0.4/30"], ["10.7.0.0/30"], undefined])
    pool.release("b")
    expect(hold("c")).toEqual(["10.7.0.4/30"])
  })
})

test("what a node held of one family stayed its own for ever when there was nothing left of the other", async () => {
  const dual = { clusterCidr: "10.7.0.0/30,fd08::/63", maskSizeIpv4: 30, maskSizeIpv6: 64 }
  const { ranges, pool, hold, known, isTaken } = allocator(dual)
  expect(hold("a")).toEqual(["10.7.0.0/30", "fd08::/64"])
  known.set("other", node("other", ["10.7.0.0/30", "fd08:0:0:1::/64"]))
  const reader = { get: () => node("a"), byIndex: (_index: unknown, block: string) => (isTaken(block) ? [node("other")] : []) }
  const look = () => decide(observe("a", reader as never, pool, nodesByBlock(ranges))!, ranges)
  const [operation] = look().steps[0]?.operations ?? []
  expect(operation).toMatchObject({ do: "remember-hold", to: "nothing for a", node: "a" })
  await rememberHoldsIn(pool).execute(operation as never, {} as never)
  expect(look().steps).toEqual([])
  known.set("other", node("other", ["fd08:0:0:1::/64"]))
  expect(hold("b")).toEqual(["10.7.0.0/30", "fd08::/64"])
})

test("looking took a hold of blocks: now only the plan does", () => {
  const { pool, isTaken } = allocator(small)
  expect([pool.choose("a", isTaken), pool.choose("b", isTaken)]).toEqual([
    { blocks: ["10.7.0.0/30"], next: [1], tries: [0] },
    { blocks: ["10.7.0.0/30"], next: [1], tries: [0] },
  ])
  pool.hold("a", pool.choose("a", isTaken)!)
  expect([pool.choose("a", isTaken), pool.choose("b", isTaken)]).toEqual([
    { blocks: ["10.7.0.0/30"] },
    { blocks: ["10.7.0.4/30"], next: [0], tries: [0] },
  ])
})

test("property: however nodes come and go, and whatever they bring, no two that were given a block share an address", () => {
  const random = seededRandom(3)
  for (let run = 0; run < 20; run++) {
    const { give, known } = allocator({
      clusterCidr: "10.7.0.0/24,fd08::/60",
      maskSizeIpv4: 28,
      maskSizeIpv6: 64,
      serviceRange: "10.7.0.64/27",
    })
    for (let step = 0; step < 60; step++) {
      const name = `n${random.int(24)}`
      if (random.int(3) === 0) known.delete(name)
      else if (!known.has(name)) give(name)
    }
    const all = [...known.values()].flatMap(({ spec }) => spec?.podCIDRs ?? []).map((text) => parseCidr(text)!)
    for (const [at, one] of all.entries()) expect(all.slice(at + 1).some((other) => cidrsOverlap(one, other))).toBe(false)
    expect(all.some((one) => cidrsOverlap(one, parseCidr("10.7.0.64/27")!))).toBe(false)
  }
})

describe("decide", () => {
  const ranges = parseClusterRanges({ clusterCidr: "10.8.0.0/16,fd08::/48" })
  test("what is written", () => {
    const choice = { blocks: ["10.8.3.0/24", "fd08:0:0:3::/64"], next: [4, 4] }
    const plan = decide({ node: node("a"), choice }, ranges)
    expect(plan.steps[0]?.operations).toMatchObject([{ do: "remember-hold", node: "a", choice }])
    expect(plan.steps[1]?.operations).toMatchObject([
      {
        do: "patch",
        reason: "it has no pod addresses, and 10.8.3.0/24 and fd08:0:0:3::/64 of 10.8.0.0/16 and fd08::/48 are free",
        patch: {
          metadata: { uid: "u-a", resourceVersion: "3" },
          spec: { podCIDR: "10.8.3.0/24", podCIDRs: ["10.8.3.0/24", "fd08:0:0:3::/64"] },
        },
      },
    ])
  })

  test("none is left: it says so and waits", () => {
    expect(decide({ node: node("a") }, ranges)).toMatchObject({
      steps: [],
      events: [{ type: "Normal", reason: "CIDRNotAvailable", message: "Node a status is now: CIDRNotAvailable" }],
      waitingFor: ["a block of 10.8.0.0/16 and fd08::/48: all are taken"],
      requeue: undefined,
    })
  })

  test.each<[name: string, node: Node, summary: string]>([
    ["Regular node not under deletion, with a block", node("a", ["10.8.0.0/24"]), "it has 10.8.0.0/24"],
    ["Node under deletion", node("a", [], { deletionTimestamp: "2026-01-05T09:00:00Z" }), "the node is being deleted"],
    [
      "incorrect node allocation",
      node("a", ["172.16.0.0/24"]),
      "its pod CIDR 172.16.0.0/24 is not in 10.8.0.0/16 and fd08::/48; it is left alone",
    ],
  ])("nothing is written: %s", (_name, one, summary) => {
    expect(decide({ node: one, choice: { blocks: ["10.8.9.0/24"], next: [10] } }, ranges)).toMatchObject({ steps: [], events: [], summary })
  })

  test("a refused write is recorded as an event, a conflict is not", () => {
    const [operation] = decide({ node: node("a"), choice: { blocks: ["10.8.3.0/24"] } }, ranges).steps.flatMap((step) => step.operations)
    const told = (error: unknown) =>
      settle({ node: node("a") }, [{ operation: operation!, ok: false, error } satisfies Result]).events.map(({ reason }) => reason)
    expect(told(serviceUnavailable("no"))).toEqual(["CIDRAssignmentFailed"])
    expect(told(conflict(nodes, "a", "changed"))).toEqual([])
  })
})

describe("flags that cannot be", () => {
  test.each<[name: string, options: NodeIpamOptions, message: string]>([
    ["no range", { clusterCidr: "" }, "expected --cluster-cidr with --allocate-node-cidrs, found none"],
    ["no block", { clusterCidr: "10.8.0.0" }, 'expected blocks such as 10.244.0.0/16 in --cluster-cidr, found "10.8.0.0"'],
    ["two of one family", { clusterCidr: "10.8.0.0/16,10.9.0.0/16" }, "expected at most one block of each family in --cluster-cidr"],
    ["more than two", { clusterCidr: "10.8.0.0/16,fd08::/48,fd09::/48" }, "expected at most one block of each family in --cluster-cidr"],
    [
      "a node larger than the cluster",
      { clusterCidr: "10.8.0.0/24", maskSize: 16 },
      "expected a node mask from 24 to 32 for --cluster-cidr 10.8.0.0/24, found 16",
    ],
    ["too many blocks in IPv6", { clusterCidr: "fd08::/40" }, "expected a node mask from 40 to 56 for --cluster-cidr fd08::/40, found 64"],
    ["one mask for two families", { clusterCidr: "10.8.0.0/16,fd08::/48", maskSize: 24 }, "found --node-cidr-mask-size"],
    [
      "two masks for one family",
      { clusterCidr: "10.8.0.0/16", maskSize: 24, maskSizeIpv4: 25 },
      "expected either --node-cidr-mask-size or that of a family",
    ],
    ["a mask for a family that is not there", { clusterCidr: "10.8.0.0/16", maskSizeIpv6: 64 }, "expected an IPv6 block in --cluster-cidr"],
    ["a Service range that is none", { clusterCidr: "10.8.0.0/16", serviceRange: "here" }, 'in --service-cluster-ip-range, found "here"'],
  ])("%s", (_name, options, message) => {
    expect(() => [parseClusterRanges(options), parseServiceRanges(options)]).toThrow(message)
  })
})
