import type { StatusError } from "@pilothouse/api"
import type { HeaderMap } from "@pilothouse/seams"
import type { Attributes, Authorizer, ResourceAttributes } from "../authorization/authorizer.ts"
import { refusal } from "../authorization/refusal.ts"
import { anonymous, authenticatedGroup, type Identity } from "../identity.ts"
import { extraFault } from "./extra-fault.ts"
import { nodeOf, serviceAccountOf } from "./known-names.ts"
import { type Mode, modes } from "./modes.ts"
import { requestedUser } from "./requested-user.ts"

type Around = { readonly authorizer: Authorizer }

/** What one mode says: who it is from now on, or why not. */
type Outcome = { readonly user: Identity } | { readonly refused: StatusError }

const unauthenticatedGroup = "system:unauthenticated"

/** Who a request is to be taken for: whoever sent it, or whom it names in its headers. Throws where the authorizer does not allow that. */
export function impersonate({ authorizer }: Around, requestor: Identity, headers: HeaderMap, what: Attributes): Identity {
  const wanted = requestedUser(headers)
  if (wanted === undefined) return requestor
  let first: StatusError | undefined
  for (const mode of modes) {
    if (!mode.fits(wanted, requestor)) continue
    const outcome = tried(mode, { authorizer, requestor, wanted, what })
    if ("user" in outcome) return outcome.user
    first ??= outcome.refused
  }
  throw first ?? refusal(requestor, what, { allowed: false, reason: "all impersonation modes failed" })
}

interface Attempt extends Around {
  readonly requestor: Identity
  readonly wanted: Identity
  readonly what: Attributes
}

function tried(mode: Mode, attempt: Attempt): Outcome {
  for (const refused of refusals(mode, attempt)) if (refused !== undefined) return { refused }
  return { user: actualUser(mode, attempt.wanted) }
}

/** Each right is asked for only where those before it are there. All but the oldest mode ask first for the right to do this very thing as another. */
function* refusals(mode: Mode, attempt: Attempt): Generator<StatusError | undefined> {
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

function refusalOf(mode: Mode, { authorizer, requestor }: Attempt, asked: Attributes): StatusError | undefined {
  const [who, what] = mode.asked?.(requestor, asked) ?? [requestor, asked]
  const decision = authorizer.authorize(who, what)
  return decision.allowed ? undefined : refusal(who, what, decision)
}

const own = { group: "authentication.k8s.io", version: "v1" }

function rightsIn(mode: Mode) {
  const constrained = mode.name !== ""
  const verb = constrained ? `impersonate:${mode.name}` : "impersonate"
  const usual = { verb, ...(constrained ? own : { group: "", version: "v1" }), resource: "users", subresource: "", namespace: "", name: "" }
  return { constrained, right: (more: Partial<ResourceAttributes>): ResourceAttributes => ({ ...usual, ...more }) }
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
