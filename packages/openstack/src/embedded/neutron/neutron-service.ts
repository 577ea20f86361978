import type * as wire from "../../clients/neutron/types.ts"
import { type ListPlace, listPage, toValues, withFields } from "../rest/list.ts"
import { neutronProblem } from "../rest/problem.ts"
import type { EmbeddedRequest, Routes } from "../rest/routes.ts"
import { neutronVersions } from "../rest/versions.ts"
import type { Agent } from "./agent.ts"
import { createFloatingIp, deleteFloatingIp, updateFloatingIp } from "./floating-ips.ts"
import { createNetwork, createSubnet, deleteNetwork, deleteSubnet } from "./networks.ts"
import { Ports } from "./ports.ts"
import { quotaRoutes } from "./quotas.ts"
import { addInterface, createRouter, deleteRouter, removeInterface } from "./routers.ts"
import { createGroup, createRule, deleteGroup, withRules } from "./security-groups.ts"
import type { NeutronRow, NeutronState, SecurityGroupRow, Table } from "./state.ts"
import { Trunks } from "./trunks.ts"

const tables = {
  networks: "networks",
  subnets: "subnets",
  ports: "ports",
  trunks: "trunks",
  "security-groups": "securityGroups",
  floatingips: "floatingIps",
  routers: "routers",
} as const

function tagRoutes(state: NeutronState): Routes {
  const table = (kind: string) => {
    const name = tables[kind as keyof typeof tables]
    if (name === undefined) throw neutronProblem(404, "HTTPNotFound", "The resource could not be found.")
    return state[name] as unknown as Table<NeutronRow>
  }
  return {
    "GET /v2.0/*/*/tags": ({ parts: [kind = "", id = ""] }) => ({ status: 200, value: { tags: table(kind).get(id).tags } }),
    "PUT /v2.0/*/*/tags": ({ parts: [kind = "", id = ""], body }) => {
      const tags = [...new Set((body as { tags: readonly string[] }).tags)].sort()
      return { status: 200, value: { tags: table(kind).change(id, { tags }).tags } }
    },
    "PUT /v2.0/*/*/tags/*": ({ parts: [kind = "", id = "", tag = ""] }) => {
      const { tags } = table(kind).get(id)
      if (!tags.includes(tag)) table(kind).change(id, { tags: [...tags, tag].sort() })
      return { status: 201 }
    },
    "DELETE /v2.0/*/*/tags/*": ({ parts: [kind = "", id = "", tag = ""] }) => {
      const { tags } = table(kind).get(id)
      if (!tags.includes(tag)) throw neutronProblem(404, "TagNotFound", `Tag ${tag} could not be found.`)
      table(kind).change(id, { tags: tags.filter((one) => one !== tag) })
      return { status: 204 }
    },
  }
}

interface Kind {
  /** "ports" in the path, "port" and "ports" in bodies. */
  readonly path: string
  readonly one: string
  readonly table: Table<NeutronRow>
  create(requested: never, project: string): unknown
  update?(id: string, change: never): unknown
  delete(id: string): void
  /** How a row is shown. */
  show?(row: never): NeutronRow
  matches?: ListPlace["matches"]
}

const base = "http://neutron.embedded/v2.0"

/** What this Neutron says it can do. */
const extensions = [
  "binding",
  "external-net",
  "pagination",
  "port-security",
  "quota_details",
  "revision-if-match",
  "router",
  "security-group",
  "standard-attr-revisions",
  "standard-attr-tag",
  "trunk",
  "trunk-details",
]

/** Returns the routes of Neutron's API. */
export function neutronRoutes(state: NeutronState, agent: Agent): Routes {
  const ports = new Ports(state, agent)
  const trunks = new Trunks(state, agent)
  return {
    ...neutronVersions,
    ...Object.assign({}, ...resourceKinds(state, ports, trunks).map(kindRoutes)),
    ...bulkPorts(ports),
    "PUT /v2.0/trunks/*/add_subports": ({ parts: [id = ""], body }) => ({ status: 200, value: trunks.addSubports(id, readSubports(body)) }),
    "PUT /v2.0/trunks/*/remove_subports": ({ parts: [id = ""], body }) => ({
      status: 200,
      value: trunks.removeSubports(id, readSubports(body)),
    }),
    "PUT /v2.0/routers/*/add_router_interface": ({ parts: [id = ""], body }) => ({
      status: 200,
      value: addInterface(state, ports, id, (body as { subnet_id: string }).subnet_id),
    }),
    "PUT /v2.0/routers/*/remove_router_interface": ({ parts: [id = ""], body }) => ({
      status: 200,
      value: removeInterface(state, id, (body as { subnet_id: string }).subnet_id),
    }),
    "GET /v2.0/extensions": () => ({ status: 200, value: { extensions: extensions.map((alias) => ({ alias })) } }),
    ...quotaRoutes(state),
    ...tagRoutes(state),
  }
}

function readSubports(body: unknown): readonly wire.SubPort[] {
  return (body as { sub_ports: readonly wire.SubPort[] }).sub_ports
}

function resourceKinds(state: NeutronState, ports: Ports, trunks: Trunks): readonly Kind[] {
  return [...netKinds(state, ports, trunks), ...guardKinds(state), ...outsideKinds(state)]
}

/** Rows of every kind are handled alike where only what all of them have matters. */
function table<Row extends NeutronRow>(rows: Table<Row>): Table<NeutronRow> {
  return rows as unknown as Table<NeutronRow>
}

function netKinds(state: NeutronState, ports: Ports, trunks: Trunks): readonly Kind[] {
  return [
    {
      path: "networks",
      one: "network",
      table: table(state.networks),
      create: (requested: wire.NewNetwork, project) => createNetwork(state, requested, project),
      delete: (id) => deleteNetwork(state, id),
    },
    {
      path: "subnets",
      one: "subnet",
      table: table(state.subnets),
      create: (requested: wire.NewSubnet, project) => createSubnet(state, requested, project),
      delete: (id) => deleteSubnet(state, id),
    },
    {
      path: "ports",
      one: "port",
      table: table(state.ports),
      create: (requested: wire.NewPort, project) => ports.create(requested, project),
      update: (id, change: wire.PortChange) => ports.update(id, change),
      delete: (id) => ports.delete(id),
      show: (row: wire.Port) => trunks.details(row),
      matches: matchesAddresses,
    },
    {
      path: "trunks",
      one: "trunk",
      table: table(state.trunks),
      create: (requested: wire.NewTrunk, project) => trunks.create(requested, project),
      delete: (id) => trunks.delete(id),
    },
  ]
}

function guardKinds(state: NeutronState): readonly Kind[] {
  return [
    {
      path: "security-groups",
      one: "security_group",
      table: table(state.securityGroups),
      create: (requested: wire.NewSecurityGroup, project) => createGroup(state, requested, project),
      delete: (id) => deleteGroup(state, id),
      show: (row: SecurityGroupRow) => withRules(state, row),
    },
    {
      path: "security-group-rules",
      one: "security_group_rule",
      table: table(state.rules),
      create: (requested: wire.NewSecurityGroupRule, project) => createRule(state, requested, project),
      delete: (id) => void (state.rules.get(id) && state.rules.delete(id)),
    },
  ]
}

function outsideKinds(state: NeutronState): readonly Kind[] {
  return [
    {
      path: "floatingips",
      one: "floatingip",
      table: table(state.floatingIps),
      create: (requested: wire.NewFloatingIp, project) => createFloatingIp(state, requested, project),
      update: (id, change: Partial<wire.NewFloatingIp>) => updateFloatingIp(state, id, change),
      delete: (id) => deleteFloatingIp(state, id),
    },
    {
      path: "routers",
      one: "router",
      table: table(state.routers),
      create: (requested: wire.NewRouter, project) => createRouter(state, requested, project),
      delete: (id) => deleteRouter(state, id),
    },
  ]
}

function kindRoutes(kind: Kind): Routes {
  const { path, one, table } = kind
  const show = (row: NeutronRow) => kind.show?.(row as never) ?? row
  const place = { many: `${one}s`, url: `${base}/${path}`, matches: kind.matches }
  return {
    [`GET /v2.0/${path}`]: ({ query }) => ({ status: 200, value: listPage(rowsFor(table, query).map(show), query, place) }),
    [`GET /v2.0/${path}/*`]: ({ parts: [id = ""], query }) => ({
      status: 200,
      value: { [one]: withFields(show(table.get(id)), toValues(query.fields)) },
    }),
    [`POST /v2.0/${path}`]: ({ body, project }) => ({
      status: 201,
      value: { [one]: show(kind.create(wrapped(body, one) as never, project) as NeutronRow) },
    }),
    [`PUT /v2.0/${path}/*`]: (request) => {
      const [id = ""] = request.parts
      checkRevision(request, table.get(id))
      const change = wrapped(request.body, one)
      const changed = kind.update === undefined ? table.change(id, change as Partial<NeutronRow>) : kind.update(id, change as never)
      return { status: 200, value: { [one]: show(changed as NeutronRow) } }
    },
    [`DELETE /v2.0/${path}/*`]: ({ parts: [id = ""] }) => {
      kind.delete(id)
      return { status: 204 }
    },
  }
}

/** A query by id does not scan all rows. */
function rowsFor(table: Table<NeutronRow>, { id }: EmbeddedRequest["query"]): readonly NeutronRow[] {
  if (id === undefined) return [...table.values()]
  return [...new Set(toValues(id))].flatMap((one) => table.find(one) ?? [])
}

/** The same path takes one or several. */
function bulkPorts(ports: Ports): Routes {
  return {
    "POST /v2.0/ports": ({ body, project }) => {
      const many = (body as { ports?: readonly (wire.NewPort | { port: wire.NewPort })[] }).ports
      if (many === undefined) return { status: 201, value: { port: ports.create(wrapped(body, "port") as wire.NewPort, project) } }
      const requested = many.map((one) => ("port" in one ? one.port : one))
      return { status: 201, value: { ports: ports.createMany(requested, project) } }
    },
  }
}

function wrapped(body: unknown, one: string): unknown {
  const found = typeof body === "object" && body !== null ? (body as Record<string, unknown>)[one] : undefined
  if (found !== undefined) return found
  throw neutronProblem(400, "HTTPBadRequest", `Unable to find '${one}' in request body`)
}

function checkRevision({ headers }: EmbeddedRequest, row: NeutronRow): void {
  const requested = /^revision_number=(\d+)$/.exec(headers["if-match"] ?? "")?.[1]
  if (requested === undefined || Number(requested) === row.revision_number) return
  throw neutronProblem(412, "RevisionNumberConstraintFailed", `Constrained to ${requested}, but current revision is ${row.revision_number}`)
}

/** fixed_ips=subnet_id=X&fixed_ips=ip_address=Y: one address of the port has all of it. */
function matchesAddresses(row: { readonly id: string }, name: string, requested: readonly string[]): boolean | undefined {
  if (name !== "fixed_ips") return undefined
  const pairs = requested.map((text) => text.split("=", 2) as [keyof wire.FixedIp, string])
  return (row as wire.Port).fixed_ips.some((fixed) => pairs.every(([key, value]) => fixed[key] === value))
}
