import { checkDns1123Label, checkDns1123Subdomain, type StatusError } from "@pilothouse/api"
import { anonymous, authenticatedGroup, type Identity } from "../authentication/identity.ts"
import { refusal } from "../authorization/authorize.ts"
import type { Attributes, Authorizer, ResourceAttributes } from "../authorization/authorizer.ts"

/** What one mode decides: the user that the request has from now on, or why not. */
type Outcome = { readonly user: Identity } | { readonly refused: StatusError }

const unauthenticatedGroup = "system:unauthenticated"

/** Returns the user that a request is carried out as: the one that its headers name. Throws where the authorizer does not allow that. */
export async function impersonate(authorizer: Authorizer, { requestor, wanted, what }: Impersonation): Promise<Identity> {
  let first: StatusError | undefined
  for (const mode of modes) {
    if (!mode.fits(wanted, requestor)) continue
    const outcome = await tried(mode, { authorizer, requestor, wanted, what })
    if ("user" in outcome) return outcome.user
    first ??= outcome.refused
  }
  throw first ?? refusal(requestor, what, { allowed: false, reason: "all impersonation modes failed" })
}

/** One request that names another user. */
interface Impersonation {
  readonly requestor: Identity
  readonly wanted: Identity
  readonly what: Attributes
}

interface Attempt extends Impersonation {
  readonly authorizer: Authorizer
}

async function tried(mode: Mode, attempt: Attempt): Promise<Outcome> {
  for await (const refused of refusals(mode, attempt)) if (refused !== undefined) return { refused }
  return { user: actualUser(mode, attempt.wanted) }
}

/** Each right is asked for only where those before it are there. All but the oldest mode ask first for the right to do this very thing as another. */
async function* refusals(mode: Mode, attempt: Attempt): AsyncGenerator<StatusError | undefined> {
  const { name, uid, groups, extra = {} } = attempt.wanted
  const { constrained, right } = rightsIn(mode)
  const ask = (what: Attributes) => refusalOf(mode, attempt, what)
  if (constrained) yield ask({ ...attempt.what, verb: `impersonate-on:${mode.name}:${attempt.what.verb}` })
  yield ask(right(userRight(mode, name)))
  if (uid !== undefined) yield ask(right({ ...own, resource: "uids", name: uid }))
  if (constrained) yield ruledOut(attempt, groupsFault(groups), right({ resource: "groups" }))
  for (const group of groups) yield ask(right({ resource: "groups", name: group }))
  if (constrained) yield ruledOut(attempt, extraFault(extra), right({ ...own, resource: "userextras" }))
  for (const [subresource, values] of Object.entries(extra)) {
    for (const value of values) yield ask(right({ ...own, resource: "userextras", subresource, name: value }))
  }
}

async function refusalOf(mode: Mode, { authorizer, requestor }: Attempt, asked: Attributes): Promise<StatusError | undefined> {
  const [who, what] = mode.asked?.(requestor, asked) ?? [requestor, asked]
  const decision = await authorizer.authorize(who, what)
  return decision.allowed ? undefined : refusal(who, what, decision)
}

const own = { group: "authentication.k8s.io", version: "v1" }

function rightsIn(mode: Mode) {
  const constrained = mode.name !== ""
  const verb = constrained ? `impersonate:${mode.name}` : "impersonate"
  const base = { verb, ...(constrained ? own : { group: "", version: "v1" }), resource: "users", subresource: "", namespace: "", name: "" }
  return { constrained, right: (more: Partial<ResourceAttributes>): ResourceAttributes => ({ ...base, ...more }) }
}

function userRight(mode: Mode, user: string): Partial<ResourceAttributes> {
  const account = serviceAccountOf(user)
  if (account !== undefined) return { resource: "serviceaccounts", ...account }
  const node = mode.name === "" ? undefined : nodeOf(user)
  return node === undefined ? { name: user } : { resource: "nodes", name: node }
}

/** What no rule can allow but in the oldest mode. */
function ruledOut({ requestor }: Attempt, reason: string | undefined, what: Attributes): StatusError | undefined {
  return reason === undefined ? undefined : refusal(requestor, what, { allowed: false, reason })
}

function groupsFault(groups: readonly string[]): string | undefined {
  if (groups.includes("")) return "impersonating the empty string group is not allowed"
  return groups.includes("system:masters") ? "impersonating the system:masters group is not allowed" : undefined
}

function actualUser(mode: Mode, wanted: Identity): Identity {
  const known = knownGroups(mode, wanted)
  if (wanted.name === anonymous.name) return withGroup(known, unauthenticatedGroup)
  return known.groups.includes(unauthenticatedGroup) ? known : withGroup(known, authenticatedGroup)
}

/** Of some users the groups follow from their names. */
function knownGroups(mode: Mode, wanted: Identity): Identity {
  if (mode.name !== "" && nodeOf(wanted.name) !== undefined) return { ...wanted, groups: ["system:nodes"] }
  const account = serviceAccountOf(wanted.name)
  if (account === undefined || wanted.groups.length > 0) return wanted
  return { ...wanted, groups: ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`] }
}

function withGroup(identity: Identity, group: string): Identity {
  return identity.groups.includes(group) ? identity : { ...identity, groups: [...identity.groups, group] }
}

/** The fault of the extra fields that a request impersonates, in the words of upstream; the oldest mode takes any. */
function extraFault(extra: Readonly<Record<string, readonly string[]>>): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === "") return "impersonating the empty string key in extra is not allowed"
    const fault = pathFault(key)
    if (fault !== undefined) return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${fault}`
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`
    if (values.includes("")) return "impersonating the empty string value in extra is not allowed"
  }
  return undefined
}

/** A key is a domain and a path in it: "acme.io/foo". */
function pathFault(key: string): string | undefined {
  const slash = key.indexOf("/")
  const [domain, path] = [key.slice(0, Math.max(slash, 0)), key.slice(slash + 1)]
  if (domain === "" || path === "") return `${JSON.stringify(key)}: must be a domain-prefixed path (such as "acme.io/foo")`
  const [fault] = checkDns1123Subdomain(domain)
  return fault === undefined ? undefined : `${JSON.stringify(domain)}: ${fault}`
}

/** A mode of impersonation. */
interface Mode {
  /** "" for the oldest way: one right for whatever is done as the other. */
  readonly name: string
  /** Whether it is for this case at all. */
  fits(wanted: Identity, requestor: Identity): boolean
  /** As whom and for what the authorizer is asked; as it is, where left out. */
  readonly asked?: (requestor: Identity, what: Attributes) => readonly [who: Identity, what: Attributes]
}

const nodeNameKey = "authentication.kubernetes.io/node-name"
const associatedKeys = "authentication.kubernetes.io/associated-node-keys"

/** In upstream's order: what one refuses another may allow, and the first refusal is what is said. */
const modes: readonly Mode[] = [
  {
    name: "associated-node",
    fits: (wanted, requestor) => isNameAlone(wanted) && nodeOf(wanted.name) !== undefined && nodeOf(wanted.name) === ownNodeOf(requestor),
    asked: forAnyNode,
  },
  { name: "arbitrary-node", fits: (wanted) => isNameAlone(wanted) && nodeOf(wanted.name) !== undefined },
  { name: "serviceaccount", fits: (wanted) => isNameAlone(wanted) && serviceAccountOf(wanted.name) !== undefined },
  { name: "user-info", fits: ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined },
  { name: "", fits: () => true },
]

function isNameAlone({ uid, groups, extra }: Identity): boolean {
  return uid === undefined && groups.length === 0 && extra === undefined
}

/** The node of the pod that a service account's token is bound to. */
function ownNodeOf({ name, extra = {} }: Identity): string | undefined {
  const nodes = extra[nodeNameKey] ?? []
  return serviceAccountOf(name) !== undefined && nodes.length === 1 ? nodes[0] : undefined
}

/** The right to be the node one runs on is the same on every node: no rule names one. */
function forAnyNode(requestor: Identity, what: Attributes): readonly [Identity, Attributes] {
  const who = { ...requestor, extra: { [associatedKeys]: Object.keys(requestor.extra ?? {}).sort() } }
  return [who, "resource" in what && what.verb === "impersonate:associated-node" ? { ...what, name: "*" } : what]
}

/** The node that a user's name stands for: "system:node:n". */
function nodeOf(user: string): string | undefined {
  const name = /^system:node:(.*)$/s.exec(user)?.[1]
  return name !== undefined && checkDns1123Subdomain(name).length === 0 ? name : undefined
}

/** The service account that a user's name stands for: "system:serviceaccount:default:a". */
function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = "", name = ""] = /^system:serviceaccount:([^:]*):([^:]*)$/.exec(user) ?? []
  return checkDns1123Label(namespace).length === 0 && checkDns1123Subdomain(name).length === 0 ? { namespace, name } : undefined
}
