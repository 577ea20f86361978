import type { GrpcStatus } from "./grpc-status.ts"

/** Why a client, or its connection, was refused: labels of a counter. */
export type EdgeFault = "accept" | "handshake" | "limit" | "protocol" | "silent" | "unauthenticated" | "unavailable"

/** Called with each, and a text for people. */
export type OnFault = (fault: EdgeFault, why: string) => void

/** By the status that was sent. A call that is over by the client's own will is no fault. */
export const faultOf: Readonly<Record<GrpcStatus, EdgeFault | undefined>> = {
  OK: undefined,
  DEADLINE_EXCEEDED: undefined,
  INVALID_ARGUMENT: "protocol",
  RESOURCE_EXHAUSTED: "limit",
  UNIMPLEMENTED: "protocol",
  INTERNAL: "protocol",
  UNAVAILABLE: "unavailable",
  UNAUTHENTICATED: "unauthenticated",
}
