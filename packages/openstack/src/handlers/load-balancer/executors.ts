import { type Executor, executor } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { isRefusal } from "../../clients/calls/errors.ts"
import type { OpenStack } from "../../clients/cloud.ts"
import type { LoadBalancer, NewListenerTree, NewMember, NewPoolTree } from "../../clients/octavia/types.ts"
import { type ClusterMarks, type Marked, markedOwner } from "../../drivers/creation/cluster-marks.ts"
import { isClearRefusal } from "../../drivers/creation/create-refused.ts"
import type { Balancers } from "./balancers.ts"
import { attachFloating, releaseFloating, takeOverFloating } from "./floating-ip.ts"
import { Marks } from "./marks.ts"
import type {
  AttachFloating,
  CreateBalancer,
  CreateListener,
  CreatePool,
  MarkBalancer,
  ReleaseFloating,
  RemoveBalancer,
  RemoveListener,
  ReplaceMembers,
  SetGroups,
  UpdateListener,
  UpdatePool,
} from "./operations.ts"
import type { DesiredListener, DesiredTree, UnmarkedPart } from "./tree.ts"

export interface ExecutorOptions {
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  readonly clusterMarks: ClusterMarks
  readonly balancers: Balancers
}

interface Executing extends ExecutorOptions {
  readonly marks: Marks
}

/** Returns the executors of operations on load balancers. Each ends when the load balancer is ready for the next change. */
export function balancerExecutors(given: ExecutorOptions): readonly Executor[] {
  const { cloud, balancers } = given
  const { octavia } = cloud
  const options: Executing = { ...given, marks: new Marks(octavia, given.clusterMarks) }
  return [
    executor<CreateBalancer>("create-balancer", (operation, signal) => createBalancer(options, operation, signal)),
    executor<RemoveBalancer>("remove-balancer", async ({ balancer }, signal) => {
      if (await octavia.loadBalancers.delete(balancer, { cascade: true, signal })) await balancers.untilGone(balancer, signal)
      balancers.gone(balancer)
    }),
    executor<CreateListener>("create-listener", (operation, signal) => createListener(options, operation, signal)),
    executor<RemoveListener>("remove-listener", async ({ balancer, listener, pool }, signal) => {
      if (listener !== undefined) await balancers.change(balancer, signal, () => octavia.listeners.delete(listener, { signal }))
      if (pool !== undefined) await balancers.change(balancer, signal, () => octavia.pools.delete(pool, { signal }))
    }),
    executor<UpdateListener>("update-listener", async ({ balancer, listener, allowedCidrs }, signal) => {
      await balancers.change(balancer, signal, () => octavia.listeners.update(listener, { allowed_cidrs: allowedCidrs }, { signal }))
    }),
    executor<CreatePool>("create-pool", (operation, signal) => createPool(options, operation, signal)),
    executor<UpdatePool>("update-pool", async ({ balancer, pool, sticky, algorithm }, signal) => {
      const change = { session_persistence: sticky ? ({ type: "SOURCE_IP" } as const) : null, lb_algorithm: algorithm }
      await balancers.change(balancer, signal, () => octavia.pools.update(pool, change, { signal }))
    }),
    executor<ReplaceMembers>("replace-members", async ({ balancer, pool, desired }, signal) => {
      await balancers.change(balancer, signal, () => octavia.members(pool).replaceAll(memberBodies(desired), { signal }))
    }),
    executor<SetGroups>("set-groups", (operation, signal) => setGroups(options, operation, signal)),
    executor<MarkBalancer>("mark-balancer", (operation, signal) => markBalancer(options, operation, signal)),
    executor<AttachFloating>("attach-floating-ip", (operation, signal) => attachFloating(options, operation, signal)),
    executor<ReleaseFloating>("release-floating-ip", ({ floating }, signal) => releaseFloating(options, floating, signal)),
  ]
}

/** The whole tree in one call. */
async function createBalancer(options: Executing, { tree }: CreateBalancer, signal: AbortSignal): Promise<unknown> {
  const { balancers } = options
  const { owner } = tree
  try {
    const notYet = balancers.waitReason(owner)
    if (notYet !== undefined) throw notYet
    const made = await postTree(options, tree, signal)
    balancers.made(owner, made.id)
    const balancer = await balancers.untilActive(made.id, signal, true)
    balancers.completed(tree, balancer)
    await addGroups(options, balancer, tree.groups, signal)
    return made.id
  } catch (error) {
    if (!isClearRefusal(error)) balancers.doubt(owner)
    throw error
  }
}

async function postTree({ cloud, marks, balancers }: Executing, tree: DesiredTree, signal: AbortSignal): Promise<LoadBalancer> {
  const { name, project, ip, subnet, owner, listeners } = tree
  const desired = (mark: Marked) => ({
    name,
    project_id: project,
    vip_address: ip,
    vip_subnet_id: subnet,
    ...mark,
    listeners: listeners.map((one) => listenerBody(tree, one, mark)),
  })
  try {
    return await marks.write(() => cloud.octavia.loadBalancers.create(desired(marks.of(owner)), { signal }))
  } catch (error) {
    if (error instanceof PilothouseError && error.code === "TIMEOUT") balancers.inFlight(owner, error)
    throw error
  }
}

async function createListener(options: Executing, { balancer, tree, listener }: CreateListener, signal: AbortSignal): Promise<void> {
  const { cloud, marks, balancers } = options
  const create = () => {
    const { default_pool: _, ...desired } = listenerBody(tree, listener, marks.of(tree.owner))
    return cloud.octavia.listeners.create({ ...desired, project_id: tree.project, loadbalancer_id: balancer }, { signal })
  }
  const made = await balancers.change(balancer, signal, () => marks.write(create))
  await createPool(options, { balancer, tree, desired: listener, listener: made.id }, signal)
}

async function createPool(
  { cloud: { octavia }, marks, balancers }: Executing,
  { balancer, tree, desired, listener }: Pick<CreatePool, "balancer" | "tree" | "desired" | "listener">,
  signal: AbortSignal,
): Promise<void> {
  const create = () => {
    const { members: _members, healthmonitor: _, ...pool } = poolBody(tree, desired, marks.of(tree.owner))
    return octavia.pools.create({ ...pool, project_id: tree.project, listener_id: listener, loadbalancer_id: balancer }, { signal })
  }
  const made = await balancers.change(balancer, signal, () => marks.write(create))
  const members = memberBodies(desired)
  if (members.length > 0) await balancers.change(balancer, signal, () => octavia.members(made.id).replaceAll(members, { signal }))
}

/** Octavia has put a group of its own on the address, which stays. */
async function addGroups(
  options: ExecutorOptions,
  { id, vip_port_id: port }: LoadBalancer,
  groups: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const found = groups.length === 0 ? undefined : await options.cloud.neutron.ports.find(port, { signal })
  if (found === undefined || groups.every((group) => found.security_groups.includes(group))) return
  await setGroups(options, { balancer: id, port, groups: [...new Set([...found.security_groups, ...groups])] }, signal)
}

/** Some providers keep the groups of their ports to themselves: then the cloud's own rules have to do. */
async function setGroups(
  { cloud, balancers }: ExecutorOptions,
  { balancer, port, groups }: Pick<SetGroups, "balancer" | "port" | "groups">,
  signal: AbortSignal,
): Promise<void> {
  try {
    await cloud.neutron.ports.update(port, { security_groups: groups }, { signal })
  } catch (error) {
    if (!isRefusal(error, "forbidden", "invalid", "unsupported")) throw error
    balancers.leaveGroups(balancer)
  }
}

/**
 * Each when the load balancer takes changes. Some providers cannot change a part once it exists, and some do not store the mark: then it stays without
 * an owner mark, and it is not tried again at every reconcile.
 */
async function markBalancer(options: Executing, { balancer, owner, parts }: MarkBalancer, signal: AbortSignal): Promise<void> {
  const { balancers } = options
  try {
    for (const part of parts) {
      const said = await markPart(options, { balancer, owner, ...part }, signal)
      if (markedOwner(said) !== owner) return balancers.leaveUnmarked(balancer)
    }
  } catch (error) {
    if (!isRefusal(error, "forbidden", "invalid", "unsupported")) throw error
    balancers.leaveUnmarked(balancer)
  }
}

/** What it says then. */
function markPart(
  options: Executing,
  { balancer, owner, kind, part }: Pick<MarkBalancer, "balancer" | "owner"> & UnmarkedPart,
  signal: AbortSignal,
): Promise<Marked> {
  if (kind === "floating IP") return takeOverFloating(options, part.id, owner, signal)
  const { marks, balancers } = options
  const { octavia } = options.cloud
  const of = { "load balancer": octavia.loadBalancers, listener: octavia.listeners, pool: octavia.pools } as const
  const write = (): Promise<Marked> => of[kind].update(part.id, marks.of(owner, part), { signal })
  return balancers.change(balancer, signal, () => marks.write(write))
}

/** Returns a listener with its pool and members, as Octavia takes it; `mark` names their owner. */
function listenerBody(tree: DesiredTree, listener: DesiredListener, mark: Marked): NewListenerTree {
  return {
    name: listener.name,
    protocol: listener.protocol,
    protocol_port: listener.port,
    ...(listener.allowedCidrs && { allowed_cidrs: listener.allowedCidrs }),
    ...mark,
    default_pool: poolBody(tree, listener, mark),
  }
}

function poolBody(tree: DesiredTree, listener: DesiredListener, mark: Marked): NewPoolTree {
  return {
    name: listener.name,
    protocol: listener.protocol,
    lb_algorithm: tree.algorithm,
    ...(listener.sticky && { session_persistence: { type: "SOURCE_IP" } }),
    ...mark,
    members: memberBodies(listener),
  }
}

function memberBodies({ members }: DesiredListener): readonly NewMember[] {
  return members.map(({ name, address, port, subnet }) => ({ name, address, protocol_port: port, subnet_id: subnet }))
}
