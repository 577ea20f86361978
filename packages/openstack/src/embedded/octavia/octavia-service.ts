import { queryValue } from "@pilothouse/seams"
import type * as wire from "../../clients/octavia/types.ts"
import { type ListPlace, listPage } from "../rest/list.ts"
import { octaviaProblem } from "../rest/problem.ts"
import type { EmbeddedRequest, Routes } from "../rest/routes.ts"
import { octaviaVersions } from "../rest/versions.ts"
import { createMonitor, deleteMonitor, updateMonitor } from "./health-monitors.ts"
import { createListener, deleteListener, updateListener } from "./listeners.ts"
import { createBalancer, deleteBalancer, updateBalancer } from "./load-balancers.ts"
import { createMember, deleteMember, findMember, poolMembers, replaceMembers, updateMember } from "./members.ts"
import { asOldAs } from "./older-octavia.ts"
import { createPool, deletePool, updatePool } from "./pools.ts"
import {
  type BalancerRow,
  type ListenerRow,
  type MemberRow,
  type MonitorRow,
  type OctaviaState,
  octaviaResources,
  type PoolRow,
} from "./state.ts"

type Shown = { readonly id: string }

interface Kind {
  readonly path: string
  readonly one: string
  rows(): Iterable<Shown>
  get(id: string): Shown
  create(requested: never, project: string): Shown
  update(id: string, change: never): Shown
  delete(id: string, request: EmbeddedRequest): void
}

/** Octavia under both of its bases: its own, and the one that neutron-lbaas had. */
export function octaviaRoutes(state: OctaviaState): Routes {
  const { knobs } = state.around
  const routes = { ...lbaasRoutes(state, "/v2/lbaas"), ...lbaasRoutes(state, "/v2.0/lbaas") }
  return { ...octaviaVersions(knobs), ...asOldAs(knobs, routes) }
}

/** Returns the routes of load balancers below one base path. */
export function lbaasRoutes(state: OctaviaState, base: string): Routes {
  return {
    ...Object.assign({}, ...resourceKinds(state).map((kind) => kindRoutes(kind, base))),
    [`GET ${base}/loadbalancers/*/status`]: ({ parts: [id = ""] }) => ({
      status: 200,
      value: { statuses: statusTree(state, state.balancers.get(id)) },
    }),
    ...memberRoutes(state, `${base}/pools/*/members`),
    ...quotaRoutes(state, `${base}/quotas/*`),
  }
}

function resourceKinds(state: OctaviaState): readonly Kind[] {
  return [
    {
      path: "loadbalancers",
      one: "loadbalancer",
      rows: () => state.balancers.where(() => true).map((row) => showBalancer(state, row)),
      get: (id) => showBalancer(state, state.balancers.get(id)),
      create: (requested: wire.NewLoadBalancer, project) => createBalancer(state, requested, project),
      update: (id, change: wire.LoadBalancerChange) => updateBalancer(state, id, change),
      delete: (id, { query }) => deleteBalancer(state, id, queryValue(query, "cascade") === "true"),
    },
    {
      path: "listeners",
      one: "listener",
      rows: () => state.listeners.where(() => true).map(showListener),
      get: (id) => showListener(state.listeners.get(id)),
      create: (requested: wire.NewListener, project) => createListener(state, requested, project),
      update: (id, change: wire.ListenerSettings) => updateListener(state, id, change),
      delete: (id) => deleteListener(state, id),
    },
    {
      path: "pools",
      one: "pool",
      rows: () => state.pools.where(() => true).map((row) => showPool(state, row)),
      get: (id) => showPool(state, state.pools.get(id)),
      create: (requested: wire.NewPool, project) => createPool(state, requested, project),
      update: (id, change: wire.PoolSettings) => updatePool(state, id, change),
      delete: (id) => deletePool(state, id),
    },
    {
      path: "healthmonitors",
      one: "healthmonitor",
      rows: () => state.monitors.where(() => true).map(showMonitor),
      get: (id) => showMonitor(state.monitors.get(id)),
      create: (requested: wire.NewHealthMonitor, project) => createMonitor(state, requested, project),
      update: (id, change: wire.HealthMonitorSettings) => updateMonitor(state, id, change),
      delete: (id) => deleteMonitor(state, id),
    },
  ]
}

function kindRoutes(kind: Kind, base: string): Routes {
  const { path, one } = kind
  const at = `${base}/${path}`
  const place = { many: `${one}s`, url: `http://octavia.embedded${at}`, matches: matchesRef }
  return {
    [`GET ${at}`]: ({ query }) => ({ status: 200, value: listPage(kind.rows(), query, place) }),
    [`GET ${at}/*`]: ({ parts: [id = ""] }) => ({ status: 200, value: { [one]: kind.get(id) } }),
    [`POST ${at}`]: ({ body, project }) => ({
      status: 201,
      value: { [one]: kind.get(kind.create(wrapped(body, one) as never, project).id) },
    }),
    [`PUT ${at}/*`]: ({ parts: [id = ""], body }) => ({
      status: 200,
      value: { [one]: kind.get(kind.update(id, wrapped(body, one) as never).id) },
    }),
    [`DELETE ${at}/*`]: (request) => {
      kind.delete(request.parts[0] ?? "", request)
      return { status: 204 }
    },
  }
}

function memberRoutes(state: OctaviaState, at: string): Routes {
  const place = { many: "members", url: `http://octavia.embedded${at}`, matches: matchesRef }
  return {
    [`GET ${at}`]: ({ parts: [pool = ""], query }) => {
      state.pools.get(pool)
      return { status: 200, value: listPage(poolMembers(state, pool).map(showMember), query, place) }
    },
    [`GET ${at}/*`]: ({ parts: [pool = "", id = ""] }) => ({ status: 200, value: { member: showMember(findMember(state, pool, id)) } }),
    [`POST ${at}`]: ({ parts: [pool = ""], body, project }) => {
      const made = createMember(state, pool, wrapped(body, "member") as wire.NewMember, project)
      return { status: 201, value: { member: showMember(state.members.get(made.id)) } }
    },
    [`PUT ${at}`]: ({ parts: [pool = ""], body, query, project }) => {
      const additive = queryValue(query, "additive_only") === "true"
      replaceMembers(state, pool, wrapped(body, "members") as readonly wire.NewMember[], additive, project)
      return { status: 202 }
    },
    [`PUT ${at}/*`]: ({ parts: [pool = "", id = ""], body }) => ({
      status: 200,
      value: { member: showMember(updateMember(state, pool, id, wrapped(body, "member") as wire.MemberChange)) },
    }),
    [`DELETE ${at}/*`]: ({ parts: [pool = "", id = ""] }) => {
      deleteMember(state, pool, id)
      return { status: 204 }
    },
  }
}

function quotaRoutes(state: OctaviaState, at: string): Routes {
  const projectLimits = (project: string) =>
    Object.fromEntries(octaviaResources.map((name) => [name, state.quotas.get(project)?.get(name) ?? -1]))
  return {
    [`GET ${at}`]: ({ parts: [project = ""] }) => ({ status: 200, value: { quota: projectLimits(project) } }),
    [`PUT ${at}`]: ({ parts: [project = ""], body }) => {
      const limits = state.quotas.get(project) ?? new Map<string, number>()
      for (const [name, limit] of Object.entries(wrapped(body, "quota") as Record<string, number>)) limits.set(name, limit)
      state.quotas.set(project, limits)
      return { status: 202, value: { quota: projectLimits(project) } }
    },
    [`DELETE ${at}`]: ({ parts: [project = ""] }) => {
      state.quotas.delete(project)
      return { status: 204 }
    },
  }
}

function wrapped(body: unknown, one: string): unknown {
  const found = typeof body === "object" && body !== null ? (body as Record<string, unknown>)[one] : undefined
  if (found !== undefined) return found
  throw octaviaProblem(400, `Invalid input for field/attribute ${one}. Value: 'None'. Mandatory field missing.`)
}

const references: Readonly<Record<string, string>> = { loadbalancer_id: "loadbalancers", listener_id: "listeners", pool_id: "pools" }

/** loadbalancer_id=X asks for what belongs to X; what no part has is refused. */
const matchesRef: ListPlace["matches"] = (row, name, requested) => {
  const refs = (row as unknown as Record<string, unknown>)[references[name] ?? ""]
  if (Array.isArray(refs)) return refs.some((ref: Shown) => requested.includes(ref.id))
  if (name in row) return undefined
  throw octaviaProblem(400, "One or more arguments are either duplicate or invalid")
}

/** The rows as they are on the wire: with the ids of what is above and below them. */
function showBalancer(state: OctaviaState, { keepsPort: _, ...row }: BalancerRow): wire.LoadBalancer {
  return {
    ...row,
    listeners: refs(state.listeners.where((listener) => listener.balancer === row.id)),
    pools: refs(state.pools.where((pool) => pool.balancer === row.id)),
  }
}

function showListener({ balancer, ...row }: ListenerRow): wire.Listener {
  return { ...row, loadbalancers: [{ id: balancer }] }
}

function showPool(state: OctaviaState, { balancer, ...row }: PoolRow): wire.Pool {
  return {
    ...row,
    loadbalancers: [{ id: balancer }],
    listeners: refs(state.listeners.where((listener) => listener.default_pool_id === row.id)),
    members: refs(state.members.where((member) => member.pool === row.id)),
    healthmonitor_id: poolMonitor(state, row.id)?.id ?? null,
  }
}

function showMember({ pool: _, ...row }: MemberRow): wire.Member {
  return row
}

function showMonitor({ pool, ...row }: MonitorRow): wire.HealthMonitor {
  return { ...row, pools: [{ id: pool }] }
}

function poolMonitor(state: OctaviaState, pool: string): MonitorRow | undefined {
  return state.monitors.where((monitor) => monitor.pool === pool)[0]
}

function refs(rows: readonly wire.IdRef[]): readonly wire.IdRef[] {
  return rows.map(({ id }) => ({ id }))
}

/** Returns the status tree of a load balancer: listeners, their pools, members and health monitors. */
function statusTree(state: OctaviaState, balancer: BalancerRow): wire.StatusTree {
  const pools = new Map(state.pools.where((pool) => pool.balancer === balancer.id).map((pool) => [pool.id, poolStatus(state, pool)]))
  const listeners = state.listeners
    .where((listener) => listener.balancer === balancer.id)
    .map((listener) => {
      const pool = pools.get(listener.default_pool_id ?? "")
      return { ...node(listener), pools: pool === undefined ? [] : [pool] }
    })
  return { loadbalancer: { ...node(balancer), listeners } }
}

function poolStatus(state: OctaviaState, pool: PoolRow): wire.PoolStatus {
  const members = state.members.where((member) => member.pool === pool.id)
  return { ...node(pool), members: members.map((one) => ({ ...node(one), address: one.address, protocol_port: one.protocol_port })) }
}

function node({ id, name, provisioning_status, operating_status }: wire.StatusNode): wire.StatusNode {
  return { id, name, provisioning_status, operating_status }
}
