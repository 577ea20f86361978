import type { TransportRequest, TransportResponse } from "@pilothouse/seams"
import type { Server } from "../server/server.ts"

/** For the few paths that answer with words, not objects. */
export function textResponse(text: string, status = 200): TransportResponse {
  const contentType = "text/plain; charset=utf-8"
  const headers = { "content-type": contentType, "x-content-type-options": "nosniff" }
  return { status, headers, body: { type: "bytes", bytes: new TextEncoder().encode(text), contentType } }
}

export function notFoundPage(): TransportResponse {
  return textResponse("404 page not found\n", 404)
}

const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** The page that Prometheus reads. */
export function metricsResponse(
  { metricsText }: Pick<Server, "metricsText">,
  { verb, path }: TransportRequest,
): TransportResponse | undefined {
  if (metricsText === undefined || verb !== "GET" || path !== "/metrics") return undefined
  const bytes = new TextEncoder().encode(metricsText())
  return { status: 200, headers: { "content-type": contentType }, body: { type: "bytes", bytes, contentType } }
}
