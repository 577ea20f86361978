/** The user of a request. In process it is given when a transport is made; over HTTP it follows from the request's credentials. */
export interface Identity {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Every authenticated user is a member. */
export const authenticatedGroup = "system:authenticated"

/** Its members may do everything. */
export const privilegedGroup = "system:masters"

/** A member of system:masters, which every authorizer allows everything. */
export const administrator: Identity = { name: "kubernetes-admin", groups: [privilegedGroup, authenticatedGroup] }

/** The API server itself, by upstream's name. */
export const apiServer: Identity = { name: "system:apiserver", groups: [privilegedGroup, authenticatedGroup] }

/** The user of requests without credentials: system:anonymous. */
export const anonymous: Identity = { name: "system:anonymous", groups: ["system:unauthenticated"] }

const nodePrefix = "system:node:"

/** Returns the name of the node that a user is: `system:node:<name>` in system:nodes. "" where the name says none; undefined for every other user. */
export function nodeNameOf({ name, groups }: Identity): string | undefined {
  return name.startsWith(nodePrefix) && groups.includes("system:nodes") ? name.slice(nodePrefix.length) : undefined
}
