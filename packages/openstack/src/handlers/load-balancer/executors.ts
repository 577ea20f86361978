import { type Executor, executor } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import type { OpenStack } from "../../clients/cloud.ts"
import { isRefusal } from "../../clients/errors.ts"
import type { FloatingIp } from "../../clients/neutron/types.ts"
import type { LoadBalancer, NewListenerTree, NewMember, NewPoolTree } from "../../clients/octavia/types.ts"
import { type Identity, isOurs, markOf, tagsOf } from "../../drivers/identity.ts"
import { isClearRefusal } from "../../drivers/nothing-made.ts"
import type { Balancers } from "./balancers.ts"
import type {
  AttachFloating,
  CreateBalancer,
  CreateListener,
  CreatePool,
  ReleaseFloating,
  RemoveBalancer,
  RemoveListener,
  ReplaceMembers,
  SetGroups,
  UpdateListener,
  UpdatePool,
} from "./operations.ts"
import type { WantedListener, WantedTree } from "./tree.ts"

export interface ExecutorOptions {
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  readonly identity: Identity
  readonly balancers: Balancers
}

/** How a plan on load balancers is carried out. Each ends when the load balancer is ready for the next change. */
export function balancerExecutors(options: ExecutorOptions): readonly Executor[] {
  const { cloud, balancers } = options
  const { octavia } = cloud
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
    executor<ReplaceMembers>("replace-members", async ({ balancer, pool, wanted }, signal) => {
      await balancers.change(balancer, signal, () => octavia.members(pool).replaceAll(membersOf(wanted), { signal }))
    }),
    executor<SetGroups>("set-groups", (operation, signal) => setGroups(options, operation, signal)),
    executor<AttachFloating>("attach-floating-ip", (operation, signal) => attachFloating(options, operation, signal)),
    executor<ReleaseFloating>("release-floating-ip", ({ floating }, signal) => releaseFloating(options, floating, signal)),
  ]
}

/** The whole tree in one call. */
async function createBalancer(options: ExecutorOptions, { tree }: CreateBalancer, signal: AbortSignal): Promise<unknown> {
  const { balancers } = options
  const { owner } = tree
  try {
    const notYet = balancers.whyNotYet(owner)
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

async function postTree({ cloud, identity, balancers }: ExecutorOptions, tree: WantedTree, signal: AbortSignal): Promise<LoadBalancer> {
  const { name, project, ip, subnet, owner, listeners } = tree
  const wanted = {
    name,
    project_id: project,
    vip_address: ip,
    vip_subnet_id: subnet,
    tags: tagsOf(identity, owner),
    listeners: listeners.map((one) => listenerTree(tree, one)),
  }
  try {
    return await cloud.octavia.loadBalancers.create(wanted, { signal })
  } catch (error) {
    if (error instanceof PilothouseError && error.code === "TIMEOUT") balancers.unanswered(owner, error)
    throw error
  }
}

async function createListener(options: ExecutorOptions, { balancer, tree, listener }: CreateListener, signal: AbortSignal): Promise<void> {
  const { default_pool: _, ...wanted } = listenerTree(tree, listener)
  const { octavia } = options.cloud
  const made = await options.balancers.change(balancer, signal, () =>
    octavia.listeners.create({ ...wanted, project_id: tree.project, loadbalancer_id: balancer }, { signal }),
  )
  await createPool(options, { balancer, tree, wanted: listener, listener: made.id }, signal)
}

async function createPool(
  { cloud: { octavia }, balancers }: ExecutorOptions,
  { balancer, tree, wanted, listener }: Pick<CreatePool, "balancer" | "tree" | "wanted" | "listener">,
  signal: AbortSignal,
): Promise<void> {
  const { members = [], healthmonitor: _, ...pool } = poolTree(tree, wanted)
  const made = await balancers.change(balancer, signal, () =>
    octavia.pools.create({ ...pool, project_id: tree.project, listener_id: listener, loadbalancer_id: balancer }, { signal }),
  )
  if (members.length > 0) await balancers.change(balancer, signal, () => octavia.members(made.id).replaceAll(members, { signal }))
}

function listenerTree(tree: WantedTree, listener: WantedListener): NewListenerTree {
  return {
    name: listener.name,
    protocol: listener.protocol,
    protocol_port: listener.port,
    ...(listener.allowedCidrs && { allowed_cidrs: listener.allowedCidrs }),
    default_pool: poolTree(tree, listener),
  }
}

function poolTree(tree: WantedTree, listener: WantedListener): NewPoolTree {
  return {
    name: listener.name,
    protocol: listener.protocol,
    lb_algorithm: tree.algorithm,
    ...(listener.sticky && { session_persistence: { type: "SOURCE_IP" } }),
    members: membersOf(listener),
  }
}

function membersOf({ members }: WantedListener): readonly NewMember[] {
  return members.map(({ name, address, port, subnet }) => ({ name, address, protocol_port: port, subnet_id: subnet }))
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

/** The one that the Service asks for if it is free, else a new one. Found before it is made: one of ours that hangs nowhere is taken. */
async function attachFloating(
  { cloud: { neutron }, identity }: ExecutorOptions,
  { port, tree, floating }: AttachFloating,
  signal: AbortSignal,
): Promise<FloatingIp> {
  const { network, subnet, address } = floating
  if (address !== undefined) {
    const [asked] = await neutron.floatingIps.list({ floating_network_id: network, floating_ip_address: address }, { signal })
    if (asked === undefined)
      throw new PilothouseError(
        "CLOUD",
        `expected the floating IP ${address} in the network ${network}, found none; make it, or ask for another`,
      )
    if (asked.port_id !== null && asked.port_id !== port)
      throw new PilothouseError("CLOUD", `the floating IP ${address} is used by another port, ${asked.port_id}`)
    return neutron.floatingIps.update(asked.id, { port_id: port }, { signal })
  }
  // Its description says whose it is, from its first moment: tags would come later, and a crash may come before them.
  const description = markOf(identity, tree.owner)
  const [mine] = (await neutron.floatingIps.list({ floating_network_id: network, description }, { signal })).filter(
    ({ port_id }) => port_id === null || port_id === port,
  )
  if (mine !== undefined) return mine.port_id === port ? mine : neutron.floatingIps.update(mine.id, { port_id: port }, { signal })
  const wanted = {
    floating_network_id: network,
    project_id: tree.project,
    port_id: port,
    description,
    ...(subnet && { subnet_id: subnet }),
  }
  return neutron.floatingIps.create(wanted, { signal })
}

/** What was made here goes; what a user brought is only let go. */
async function releaseFloating(
  { cloud: { neutron }, identity }: ExecutorOptions,
  floating: FloatingIp,
  signal: AbortSignal,
): Promise<void> {
  if (isOurs(floating, identity)) await neutron.floatingIps.delete(floating.id, { signal })
  else if ((await neutron.floatingIps.find(floating.id, { signal })) !== undefined)
    await neutron.floatingIps.update(floating.id, { port_id: null }, { signal })
}
