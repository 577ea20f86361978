/** The names of --authorization-mode that need no configuration. */
export const authorizationModes = ["AlwaysAllow", "AlwaysDeny", "Node", "RBAC"] as const

export type AuthorizationMode = (typeof authorizationModes)[number]
