import type { Transport, TransportRequest, TransportResponse } from "@pilothouse/seams"

/** What is known of a request before its body. */
export type RequestHead = Omit<TransportRequest, "body">

/** The decision on a request by its head: what answers the whole of it, or the answer to a user that may not send it. */
export type HeadDecision = { readonly transport: Transport } | { readonly refusal: TransportResponse }

/** A transport for one client of an HTTP server. */
export interface EdgeTransport extends Transport {
  /** The client is answered also when too many requests are in flight. */
  readonly isPrivileged?: boolean
  /** Decides by the head of a request whether its body is read. Where it is undefined every body is. */
  authorize?(head: RequestHead): HeadDecision | Promise<HeadDecision>
}
