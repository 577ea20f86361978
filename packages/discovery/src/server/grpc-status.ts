/** gRPC's numbers for the statuses that a stream of ours can end with. */
export const statusCodes = {
  OK: 0,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const

/** A status of gRPC, by its name. */
export type GrpcStatus = keyof typeof statusCodes

/** Characters of a text: percent-encoded they are at most 7,200 bytes, and many clients refuse more than 8 kB of headers. */
const longestText = 800

/** The end of a call, as headers. Texts are percent-encoded, but for what may stand in a header as it is. */
export function statusHeaders(status: GrpcStatus, message: string): Readonly<Record<string, string | number>> {
  const encoded = message
    .slice(0, longestText)
    .toWellFormed()
    .replace(/[^\u0020-\u0024\u0026-\u007e]/gu, encodeURIComponent)
  return { "grpc-status": statusCodes[status], "grpc-message": encoded }
}
