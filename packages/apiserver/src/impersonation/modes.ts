import type { Identity } from "../authentication/identity.ts"
import type { Attributes } from "../authorization/authorizer.ts"
import { nodeOf, serviceAccountOf } from "./known-names.ts"

/** A mode of impersonation. */
export interface Mode {
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
export const modes: readonly Mode[] = [
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
