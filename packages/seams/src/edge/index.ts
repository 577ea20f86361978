export { type ConnectionLimits, connectionLimits } from "./connection-limits.ts"
export { type Connection, Connections, type ConnectionsOptions, http2Protocol, type Output, type RemoteEnd } from "./connections.ts"
export { guardPlainHttp, type PlainHttpServer, plainHttpOptions } from "./plain-http-limits.ts"
export { foreignRequest, ownRequestHeader } from "./request-guard.ts"
