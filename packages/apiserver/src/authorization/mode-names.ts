/** The names of --authorization-mode that need no configuration. */
export const authorizationModes = ["AlwaysAllow", "AlwaysDeny", "Node", "RBAC"] as const

/** The names of --authorization-mode. */
export type AuthorizationMode = (typeof authorizationModes)[number]
