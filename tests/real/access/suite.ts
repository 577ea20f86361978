// npm run test:real -- access: roles, bindings, users and requests, decided by the real API server and by ours.
import { setTimeout as delay } from "node:timers/promises"
import { stringifyJson } from "@pilothouse/seams"
import { Draw } from "../api/draw.ts"
import type { ApiAnswer, ApiClient } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { compareNodes } from "./nodes.ts"
import { type Binding, namespaces, type User, type World, WorldDraw } from "./world.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

const api = "/apis/rbac.authorization.k8s.io/v1"
const reviews = "/apis/authorization.k8s.io/v1"
const worlds = 20
/** In each world. Reviews, requests, roles that are written, lists of rules: 2,000 combinations in all. */
const [reviewed, requested, granted, listed] = [60, 25, 10, 5]
/** Until the caches of the real server have seen what was written. */
const seen = 1000

/** The real server, then ours. */
type Servers = readonly [ApiClient, ApiClient]

async function run({ tally, random, histories = worlds }: SuiteContext): Promise<void> {
  const disabledPlugins = ["ServiceAccount"]
  const plugins = [`--disable-admission-plugins=${disabledPlugins}`, "--enable-admission-plugins=NodeRestriction"]
  await using real = await startControlPlane({ apiServerFlags: ["--authorization-mode=Node", ...plugins] })
  await using ours = await startOurApiServer({ disabledPlugins, authorizationModes: ["RBAC", "Node"] })
  const servers: Servers = [real.client, ours.client]
  await tally.group("the bootstrap policy", (group) => compareBootstrap(group, servers))
  for (const client of servers) {
    for (const name of namespaces) await client.object({ verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } })
    // Every user may try to write roles: what each may grant is what is compared.
    await client.object({ verb: "POST", path: `${api}/clusterroles`, body: writerRole })
    await client.object({ verb: "POST", path: `${api}/clusterrolebindings`, body: writerBinding })
  }
  await tally.group("nodes", (group) => compareNodes(group, servers))
  await tally.group(`${histories} worlds of ${reviewed + requested + granted + listed} requests`, async (group) => {
    for (let number = 1; number <= histories; number++) {
      await compareWorld(group, servers, new WorldDraw(new Draw(random.fork(`world ${number}`)), number), number)
    }
  })
}

const kinds = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"]
const writerRole = {
  metadata: { name: "writer" },
  rules: [
    { verbs: ["create"], apiGroups: ["rbac.authorization.k8s.io"], resources: kinds },
    { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectrulesreviews"] },
  ],
}
const writerBinding = {
  metadata: { name: "writers" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "writer" },
  subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:authenticated" }],
}

async function compareBootstrap(group: Group, servers: Servers): Promise<void> {
  for (const kind of kinds) {
    const [theirs, own] = await Promise.all(servers.map((client) => bootstrapObjects(client, kind)))
    for (const name of new Set([...theirs!.keys(), ...own!.keys()])) {
      group.case(`${kind} ${name}`, difference(theirs!.get(name) ?? "none", own!.get(name) ?? "none"))
    }
  }
}

interface Listed {
  readonly metadata: Readonly<Record<string, unknown>>
}

async function bootstrapObjects(client: ApiClient, kind: string): Promise<ReadonlyMap<string, string>> {
  const { items } = await client.object<{ items: readonly Listed[] }>({ verb: "GET", path: `${api}/${kind}` })
  return new Map(
    items.map(({ metadata, ...rest }) => {
      const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, managedFields: _managers, ...kept } = metadata
      return [[kept.namespace, kept.name].filter(Boolean).join("/"), stringifyJson(sorted({ metadata: kept, ...rest }))]
    }),
  )
}

/** Members by name: their order says nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}

async function compareWorld(group: Group, servers: Servers, draw: WorldDraw, number: number): Promise<void> {
  const world = draw.world()
  for (const client of servers) await create(client, world)
  await delay(seen)
  const ask = async (title: string, call: Parameters<ApiClient["send"]>[0], user: User, told: (answer: ApiAnswer) => string) => {
    const [theirs, own] = await Promise.all(servers.map(async (client) => told(await client.send(call))))
    const name = `world ${number}, ${user.name} in ${user.groups.join(" and ") || "no group"}: ${title}`
    group.case(name, isSameReason(world, user, theirs!, own!) ? undefined : difference(theirs!, own!))
  }
  for (let at = 0; at < reviewed; at++) {
    const [user, attributes] = [draw.user(), draw.attributes()]
    const body = { spec: { user: user.name, groups: user.groups, ...attributes } }
    await ask(stringifyJson(attributes), { verb: "POST", path: `${reviews}/subjectaccessreviews`, body }, user, statusText)
  }
  for (let at = 0; at < requested; at++) {
    const [user, request] = [draw.user(), draw.request()]
    await ask(stringifyJson(request), { ...request, headers: impersonating(user) }, user, refusalText)
  }
  for (let at = 0; at < granted; at++) {
    const [user, { path, body }] = [draw.user(), draw.grant()]
    const call = { verb: "POST", path, body, query: { dryRun: "All" }, headers: impersonating(user) } as const
    await ask(`${path} ${stringifyJson(body)}`, call, user, refusalText)
  }
  for (let at = 0; at < listed; at++) {
    const [user, namespace] = [draw.user(), draw.namespace()]
    const call = {
      verb: "POST",
      path: `${reviews}/selfsubjectrulesreviews`,
      body: { spec: { namespace } },
      headers: impersonating(user),
    } as const
    await ask(`rules in ${namespace}`, call, user, rulesText)
  }
  for (const client of servers) await remove(client, world)
}

async function create(client: ApiClient, world: World): Promise<void> {
  for (const [kind, body] of objectsOf(world)) await client.object({ verb: "POST", path: collection(kind, body), body })
}

async function remove(client: ApiClient, world: World): Promise<void> {
  for (const [kind, body] of objectsOf(world))
    await client.object({ verb: "DELETE", path: `${collection(kind, body)}/${body.metadata.name}` })
}

type Named = World["roles"][number] | Binding

function objectsOf({ clusterRoles, clusterRoleBindings, roles, roleBindings }: World): readonly (readonly [string, Named])[] {
  return [
    ...clusterRoles.map((one) => ["clusterroles", one] as const),
    ...roles.map((one) => ["roles", one] as const),
    ...clusterRoleBindings.map((one) => ["clusterrolebindings", one] as const),
    ...roleBindings.map((one) => ["rolebindings", one] as const),
  ]
}

function collection(kind: string, { metadata: { namespace } }: Named): string {
  return namespace === undefined ? `${api}/${kind}` : `${api}/namespaces/${namespace}/${kind}`
}

function impersonating({ name, groups }: User): Readonly<Record<string, string | readonly string[]>> {
  return { "impersonate-user": name, ...(groups.length > 0 && { "impersonate-group": groups }) }
}

function statusText({ status, value }: ApiAnswer): string {
  return `${status} ${stringifyJson(inAnyOrder((value as { status?: unknown }).status))}`
}

/** The words of a refusal; of everything else the code alone. */
function refusalText({ status, value }: ApiAnswer): string {
  return status >= 400 ? `${status} ${inAnyOrder((value as { message?: unknown }).message ?? value)}` : String(status)
}

function rulesText({ value }: ApiAnswer): string {
  const { resourceRules, nonResourceRules, incomplete, evaluationError } = (value as { status: Record<string, unknown> }).status
  const lines = (rules: unknown) => (rules as readonly unknown[]).map((rule) => stringifyJson(sorted(rule))).sort()
  return stringifyJson([lines(resourceRules), lines(nonResourceRules), incomplete, inAnyOrder(evaluationError)])
}

/** The real server visits bindings in no order, so lists of errors come in any. */
function inAnyOrder(value: unknown): unknown {
  const text = typeof value === "string" ? value : stringifyJson(value ?? null)
  return text.replace(
    /\[((?:(?:cluster)?role(?:binding)?s?\.rbac\S+ \\?"[^"]*" not found(?:, )?)+)\]/g,
    (_all, list: string) => `[${list.split(", ").sort().join(", ")}]`,
  )
}

/** Where several bindings allow a request, each server may name another of them. */
function isSameReason(world: World, user: User, theirs: string, own: string): boolean {
  if (theirs === own) return true
  return [theirs, own].every((text) => {
    const [, binding, kind, role, subject] =
      /allowed by (?:Cluster)?RoleBinding \\+"([^"\\]+)\\+" of (\w+) \\+"([^"\\]+)\\+" to (?:User|Group|ServiceAccount) \\+"([^"\\]+)\\+"/.exec(
        text,
      ) ?? []
    const found = [...world.clusterRoleBindings, ...world.roleBindings].find(
      ({ metadata }) => [metadata.name, metadata.namespace].filter(Boolean).join("/") === binding,
    )
    const account = user.name.split(":")
    const known = [user.name, ...user.groups, `${account[3]}/${account[2]}`]
    return found?.roleRef.kind === kind && found?.roleRef.name === role && known.includes(subject ?? "")
  })
}

function difference(theirs: string, own: string): string | undefined {
  return theirs === own ? undefined : `the server: ${theirs}\nours:       ${own}`
}
