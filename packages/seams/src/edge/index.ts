export { type ConnectionLimits, connectionLimits } from "./connection-limits.ts"
export { type Connection, Connections, type ConnectionsOptions, type Output, type RemoteEnd } from "./connections.ts"
export { foreignRequest, ownRequestHeader } from "./request-guard.ts"
