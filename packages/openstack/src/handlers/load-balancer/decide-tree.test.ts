import { describe, expect, test } from "vitest"
import { decideTree } from "./decide-tree.ts"
import type { DesiredListener, DesiredTree, FoundListener, FoundTree } from "./tree.ts"

const member = (address: string, port = 8080) => ({ name: `default/${address}:${port}`, address, port, subnet: "services" })

function listener(port: number, more: Partial<DesiredListener> = {}): DesiredListener {
  return { name: `default/web:TCP:${port}`, protocol: "TCP", port, sticky: false, members: [member("10.10.0.5")], ...more }
}

function desired(more: Partial<DesiredTree> = {}): DesiredTree {
  const tree = {
    name: "default/web",
    owner: "uid",
    project: "p",
    ip: "10.20.0.5",
    subnet: "services",
    groups: [],
    algorithm: "ROUND_ROBIN",
  }
  return { ...tree, listeners: [listener(80)], ...more }
}

function foundListener({ port, members, name }: DesiredListener, more: object = {}): FoundListener {
  const common = { name, provisioning_status: "ACTIVE" }
  const parts = {
    listener: { ...common, id: `listener-${port}`, protocol: "TCP", protocol_port: port, allowed_cidrs: null },
    pool: { ...common, id: `pool-${port}`, protocol: "TCP", lb_algorithm: "ROUND_ROBIN", session_persistence: null },
    members: members.map((one) => ({ ...common, name: one.name, address: one.address, protocol_port: one.port })),
  }
  return { ...parts, ...more } as unknown as FoundListener
}

function found(tree: DesiredTree, more: object = {}, balancer: object = {}): FoundTree {
  const whole = { id: "lb", name: tree.name, vip_address: tree.ip, vip_port_id: "vip", provisioning_status: "ACTIVE", ...balancer }
  return {
    balancer: whole,
    listeners: tree.listeners.map((one) => foundListener(one)),
    orphanPools: [],
    groups: [],
    ...more,
  } as unknown as FoundTree
}

const web = desired()
const floating = { id: "f", floating_ip_address: "172.24.4.9" }
const outside = desired({ floating: { network: "public" } })

/** As kuryr leaves it: nothing of it says whose it is. */
const kuryrs = (tree: DesiredTree) => {
  const { balancer, listeners } = found(tree)
  const parts = listeners.flatMap(({ listener, pool }) => [
    { kind: "listener", part: listener },
    { kind: "pool", part: pool },
  ])
  return { unmarked: [{ kind: "load balancer", part: balancer }, ...parts] }
}

const rows: readonly (readonly [string, DesiredTree | undefined, FoundTree | undefined, readonly string[]])[] = [
  ["nothing wanted, nothing there", undefined, undefined, []],
  ["wanted and not there: the whole tree", web, undefined, ["create-balancer"]],
  ["there and not wanted", undefined, found(web), ["remove-balancer"]],
  ["up to date", web, found(web), []],
  ["in ERROR: created again", web, found(web, {}, { provisioning_status: "ERROR" }), ["remove-balancer", "create-balancer"]],
  ["another address: created again", web, found(web, {}, { vip_address: "10.20.0.9" }), ["remove-balancer", "create-balancer"]],
  ["a port more", desired({ listeners: [listener(80), listener(90)] }), found(web), ["create-listener"]],
  ["a port less", web, found(desired({ listeners: [listener(80), listener(90)] })), ["remove-listener"]],
  ["another port: the old one goes first", desired({ listeners: [listener(90)] }), found(web), ["remove-listener", "create-listener"]],
  ["another pod", desired({ listeners: [listener(80, { members: [member("10.10.0.6")] })] }), found(web), ["replace-members"]],
  ["no pods", desired({ listeners: [listener(80, { members: [] })] }), found(web), ["replace-members"]],
  [
    "a listener in ERROR",
    web,
    found(web, { listeners: [foundListener(listener(80), { pool: { provisioning_status: "ERROR" } })] }),
    ["remove-listener", "create-listener"],
  ],
  [
    "a listener whose pool was deleted",
    web,
    found(web, { listeners: [foundListener(listener(80), { pool: undefined, members: [] })] }),
    ["create-pool"],
  ],
  ["a pool without a listener", web, found(web, { orphanPools: [{ id: "orphan", name: "x" }] }), ["remove-listener"]],
  ["session affinity", desired({ listeners: [listener(80, { sticky: true })] }), found(web), ["update-pool"]],
  ["source ranges", desired({ listeners: [listener(80, { allowedCidrs: ["10.0.0.0/8"] })] }), found(web), ["update-listener"]],
  ["groups that are not on its address", desired({ groups: ["g"] }), found(web), ["set-groups"]],
  ["to be reached from outside", outside, found(web), ["attach-floating-ip"]],
  ["reached from outside already", outside, found(web, { floating }), []],
  [
    "another floating IP is asked for",
    desired({ floating: { network: "public", address: "172.24.4.7" } }),
    found(web, { floating }),
    ["release-floating-ip", "attach-floating-ip"],
  ],
  ["no longer to be reached from outside", web, found(web, { floating }), ["release-floating-ip"]],
  [
    "in ERROR, reached from outside: its floating IP waits for the next",
    outside,
    found(web, { floating }, { provisioning_status: "ERROR" }),
    ["remove-balancer", "create-balancer"],
  ],
  [
    "in ERROR, no longer to be reached from outside",
    web,
    found(web, { floating }, { provisioning_status: "ERROR" }),
    ["release-floating-ip", "remove-balancer", "create-balancer"],
  ],
  [
    "in ERROR, and another floating IP is asked for",
    desired({ floating: { network: "public", address: "172.24.4.7" } }),
    found(web, { floating }, { provisioning_status: "ERROR" }),
    ["release-floating-ip", "remove-balancer", "create-balancer"],
  ],
  ["it does not say whose it is", web, found(web, kuryrs(web)), ["mark-balancer"]],
  [
    "it does not say whose it is, and has another pod: traffic first, and the rest when it was read again",
    desired({ listeners: [listener(80, { members: [] })] }),
    found(web, kuryrs(web)),
    ["replace-members"],
  ],
  ["it does not say whose it is, and is not wanted", undefined, found(web, kuryrs(web)), ["remove-balancer"]],
  [
    "it does not say whose it is, and is in ERROR",
    web,
    found(web, kuryrs(web), { provisioning_status: "ERROR" }),
    ["remove-balancer", "create-balancer"],
  ],
  ["gone, with a floating IP", undefined, found(web, { floating }), ["release-floating-ip", "remove-balancer"]],
]

describe("the desired load balancer and the found one", () => {
  test.each(rows)("%s", (_, desired, found, operations) => {
    const decision = decideTree(desired, found)
    const made = "operations" in decision ? decision.operations : []
    expect(made.map((one) => one.do)).toEqual(operations)
    for (const { reason, to } of made) expect([reason, to]).not.toContain("")
  })

  test("marks a few of many unmarked parts in one plan, the load balancer first: changes wait for no more", () => {
    const three = desired({ listeners: [listener(80), listener(90), listener(100)] })
    const decision = decideTree(three, found(three, kuryrs(three)))
    const marked = "operations" in decision ? decision.operations.flatMap((one) => (one.do === "mark-balancer" ? one.parts : [])) : []
    expect(marked.map(({ part }) => part.id)).toEqual(["lb", "listener-80", "pool-80", "listener-90", "pool-90"])
  })

  test.each(["PENDING_CREATE", "PENDING_UPDATE", "PENDING_DELETE"])("%s: nothing but waiting", (provisioning_status) => {
    const decision = decideTree(undefined, found(web, {}, { provisioning_status }))
    expect(decision).toEqual({ waitFor: `the load balancer lb is ${provisioning_status}` })
  })
})
