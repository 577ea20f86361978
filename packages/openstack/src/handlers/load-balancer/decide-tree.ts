import type { Member } from "../../clients/octavia/types.ts"
import type { BalancerOperation } from "./operations.ts"
import type { DesiredListener, DesiredTree, FoundListener, FoundTree } from "./tree.ts"

/** Either what to do, one after the other, or what to wait for. */
export type TreeDecision = { readonly operations: readonly BalancerOperation[] } | { readonly waitFor: string }

/** Pure: the operations that lead from the load balancer as it is to the desired one. One change at a time: Octavia refuses two. */
export function decideTree(desired: DesiredTree | undefined, found: FoundTree | undefined): TreeDecision {
  if (found === undefined) return { operations: desired === undefined ? [] : [create(desired, "there is none yet")] }
  const { balancer } = found
  if (balancer.provisioning_status.startsWith("PENDING"))
    return { waitFor: `the load balancer ${balancer.id} is ${balancer.provisioning_status}` }
  if (desired === undefined) return { operations: [...floatingGone(found), remove(found, "it is not needed any more")] }
  const replaceReason = whyReplace(desired, found)
  // The world knows the floating IP: it hangs nowhere when its load balancer goes, and comes to the new one.
  if (replaceReason !== undefined)
    return { operations: [...wrongFloating(desired, found), remove(found, replaceReason), create(desired, replaceReason)] }
  return { operations: changes(desired, found) }
}

function whyReplace(desired: DesiredTree, { balancer }: FoundTree): string | undefined {
  if (balancer.provisioning_status === "ERROR") return "the load balancer is in ERROR, from which there is no way back"
  if (balancer.vip_address !== desired.ip) return `its address is ${balancer.vip_address}, wanted is ${desired.ip}`
  return undefined
}

function create(tree: DesiredTree, reason: string): BalancerOperation {
  return { do: "create-balancer", to: tree.name, reason, tree }
}

function remove({ balancer }: FoundTree, reason: string): BalancerOperation {
  return { do: "remove-balancer", to: balancer.name, reason, balancer: balancer.id }
}

function floatingGone({ floating }: FoundTree): readonly BalancerOperation[] {
  if (floating === undefined) return []
  const to = floating.floating_ip_address
  return [{ do: "release-floating-ip", to, reason: "its load balancer goes or is not to be reached from outside", floating }]
}

function changes(desired: DesiredTree, found: FoundTree): readonly BalancerOperation[] {
  const pairs = desired.listeners.map((one) => ({ one, there: found.listeners.find((other) => isSame(one, other)) }))
  const surplus = found.listeners.filter((there) => !pairs.some((pair) => pair.there === there))
  const made = [
    ...found.orphanPools.map((pool) => removeListener(found, { pool: pool.id }, `the pool ${pool.name} belongs to no listener`)),
    ...surplus.map((there) =>
      removeListener(
        found,
        { listener: there.listener.id, pool: there.pool?.id },
        `the Service has no port ${there.listener.protocol} ${there.listener.protocol_port}`,
      ),
    ),
    ...pairs.flatMap(({ one, there }) =>
      there === undefined ? [createListener(desired, found, one)] : listenerChanges(desired, found, one, there),
    ),
    ...groupChanges(desired, found),
    ...floatingChanges(desired, found),
  ]
  return made.length > 0 ? made : marks(desired, found)
}

/** So many in one plan: further changes of the Service wait for it, and some clouds take ten seconds for each. */
const marksAtOnce = 5

/**
 * Marks unmarked parts of the Service: else they would stay if the Service were deleted while no controller runs. Only where nothing else is
 * to be done: traffic does not wait for it, and tags, which are replaced as a whole, are as they were read just now.
 */
function marks({ owner }: DesiredTree, { balancer, unmarked = [] }: FoundTree): readonly BalancerOperation[] {
  const parts = unmarked.slice(0, marksAtOnce)
  if (parts.length === 0) return []
  const names = parts.map(({ kind, part }) => `the ${kind} ${"name" in part ? part.name : part.floating_ip_address}`)
  const reason = `${names.join(", ")}: it is the Service's by name and address, and does not say so`
  return [{ do: "mark-balancer", to: balancer.name, reason, balancer: balancer.id, owner, parts }]
}

function isSame({ protocol, port }: DesiredListener, { listener }: FoundListener): boolean {
  return listener.protocol === protocol && listener.protocol_port === port
}

function removeListener({ balancer }: FoundTree, gone: { listener?: string; pool?: string }, reason: string): BalancerOperation {
  return { do: "remove-listener", to: balancer.name, reason, balancer: balancer.id, ...gone }
}

function createListener(
  tree: DesiredTree,
  { balancer }: FoundTree,
  listener: DesiredListener,
  reason = "the Service has this port and the load balancer has not",
): BalancerOperation {
  return { do: "create-listener", to: listener.name, reason, balancer: balancer.id, tree, listener }
}

function listenerChanges(
  tree: DesiredTree,
  found: FoundTree,
  desired: DesiredListener,
  there: FoundListener,
): readonly BalancerOperation[] {
  const { balancer } = found
  const { listener, pool } = there
  const broken = [listener, pool].find((part) => part?.provisioning_status === "ERROR")
  if (broken !== undefined) {
    const reason = `${broken.name} is in ERROR, from which there is no way back`
    return [removeListener(found, { listener: listener.id, pool: pool?.id }, reason), createListener(tree, found, desired, reason)]
  }
  const made: BalancerOperation[] = []
  const change = { to: desired.name, balancer: balancer.id }
  if (!sameCidrs(desired.allowedCidrs, listener.allowed_cidrs)) {
    const reason = "the source ranges of the Service changed"
    made.push({ do: "update-listener", ...change, reason, listener: listener.id, allowedCidrs: desired.allowedCidrs ?? null })
  }
  if (pool === undefined) {
    made.push({ do: "create-pool", ...change, reason: "the listener has none", tree, desired, listener: listener.id })
    return made
  }
  if ((pool.session_persistence?.type === "SOURCE_IP") !== desired.sticky || pool.lb_algorithm !== tree.algorithm) {
    const reason = "the session affinity of the Service, or the algorithm, changed"
    made.push({ do: "update-pool", ...change, reason, pool: pool.id, sticky: desired.sticky, algorithm: tree.algorithm })
  }
  const why = whyMembers(desired, there.members)
  if (why !== undefined) made.push({ do: "replace-members", ...change, reason: why, pool: pool.id, tree, desired })
  return made
}

function whyMembers({ members }: DesiredListener, found: readonly Member[]): string | undefined {
  const broken = found.find(({ provisioning_status }) => provisioning_status === "ERROR")
  if (broken !== undefined) return `the member ${broken.name} is in ERROR`
  const [desiredKeys, have] = [
    new Set(members.map(({ address, port }) => `${address} ${port}`)),
    new Set(found.map((one) => `${one.address} ${one.protocol_port}`)),
  ]
  const [more, less] = [desiredKeys.difference(have).size, have.difference(desiredKeys).size]
  return more + less === 0 ? undefined : `${more} to come, ${less} to go`
}

/** Octavia says null where every address is allowed. */
function sameCidrs(desired: readonly string[] | undefined, found: readonly string[] | null | undefined): boolean {
  const text = (cidrs: readonly string[] | null | undefined) => [...(cidrs ?? [])].sort().join(" ")
  return text(desired) === text(found)
}

function groupChanges({ groups, name }: DesiredTree, { balancer, groups: found }: FoundTree): readonly BalancerOperation[] {
  if (found === undefined || groups.every((group) => found.includes(group))) return []
  const reason = "the security groups of the Service are not on its address"
  return [
    {
      do: "set-groups",
      to: `the address of ${name}`,
      reason,
      balancer: balancer.id,
      port: balancer.vip_port_id,
      groups: [...new Set([...found, ...groups])],
    },
  ]
}

/** The floating IP that is there goes where none is wanted, or another one. */
function wrongFloating({ floating }: DesiredTree, found: FoundTree): readonly BalancerOperation[] {
  const address = found.floating?.floating_ip_address
  return floating === undefined || (floating.address ?? address) !== address ? floatingGone(found) : []
}

function floatingChanges(tree: DesiredTree, found: FoundTree): readonly BalancerOperation[] {
  const { floating } = tree
  const gone = wrongFloating(tree, found)
  if (floating === undefined || (found.floating !== undefined && gone.length === 0)) return gone
  const to = tree.name
  return [
    ...gone,
    {
      do: "attach-floating-ip",
      to,
      reason: "the Service is to be reached from outside",
      port: found.balancer.vip_port_id,
      tree,
      floating,
    },
  ]
}
