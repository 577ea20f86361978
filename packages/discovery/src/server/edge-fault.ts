import type { GrpcStatus } from "./grpc-status.ts"

/** Why a client, or its connection, was turned away: labels of a counter. */
export type EdgeFault = "accept" | "handshake" | "limit" | "protocol" | "silent" | "unauthenticated" | "unavailable"

/** Hears of each, with a text for people. */
export type OnFault = (fault: EdgeFault, why: string) => void

/** By what the client was told. */
export const faultOf: Readonly<Record<Exclude<GrpcStatus, "OK">, EdgeFault>> = {
  INVALID_ARGUMENT: "protocol",
  RESOURCE_EXHAUSTED: "limit",
  UNIMPLEMENTED: "protocol",
  INTERNAL: "protocol",
  UNAVAILABLE: "unavailable",
  UNAUTHENTICATED: "unauthenticated",
}
