import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2"
import { onAbort, type Upgrade } from "@pilothouse/seams"

/**
 * One HTTP request and its response. With allowHTTP1 node gives objects of node:http for HTTP/1.1;
 * they have the part of the HTTP/2 interface that is used here.
 */
export interface Exchange {
  readonly request: Http2ServerRequest
  readonly response: Http2ServerResponse
  /** Aborted when the client goes away before it has the whole answer. */
  readonly controller: AbortController
  /** Aborted when the server stops: ends streams only, anything else may finish. */
  readonly stopping: AbortSignal
  readonly auditId: string
  /** The client sends its body when it has read 100 Continue. */
  readonly expectsContinue: boolean
  /** The connection itself, where the client requests another protocol on it. */
  readonly upgrade?: TakenUpgrade
}

/** An upgrade that knows whether it was taken. */
export interface TakenUpgrade extends Upgrade {
  readonly isTaken: boolean
}

export function isHttp2(exchange: Exchange): boolean {
  return exchange.request.httpVersionMajor === 2
}

/** Clients built on fetch wait for the headers before they read anything. HTTP/2 has sent them already. */
export function flushHeaders(response: Http2ServerResponse): void {
  if ("flushHeaders" in response && typeof response.flushHeaders === "function") response.flushHeaders()
}

/** Ends when the client can take more, or will take no more; or when the signal is aborted. */
export function drained(response: Http2ServerResponse, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      response.off("drain", over)
      response.off("close", over)
      aborted[Symbol.dispose]()
      resolve()
    }
    const aborted = onAbort(signal, over)
    response.on("drain", over)
    response.on("close", over)
  })
}

/** Bytes that are written at once. A client that takes no more than this in a minute is held to be gone. */
export const pieceSize = 64 * 1024

/**
 * Writes all but the last piece, each when the client has taken the one before: how far the client is shows only by that.
 * Ends with the last piece; early when the client is gone.
 */
export async function writePieces(response: Http2ServerResponse, bytes: Uint8Array): Promise<Uint8Array> {
  let rest = bytes
  while (rest.length > pieceSize && !response.destroyed) {
    if (!response.write(rest.subarray(0, pieceSize))) await drained(response)
    rest = rest.subarray(pieceSize)
  }
  return rest
}

/** Lets the client see that this is not the proper end of its answer. */
export function breakOff(exchange: Exchange): void {
  if (isHttp2(exchange)) exchange.response.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  else exchange.request.socket.destroy()
}
