/** Who asks. In process it is given when a transport is made; at the HTTP edge it comes of the request's credentials. */
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

export const administrator: Identity = { name: "kubernetes-admin", groups: [privilegedGroup, authenticatedGroup] }

export const anonymous: Identity = { name: "system:anonymous", groups: ["system:unauthenticated"] }
