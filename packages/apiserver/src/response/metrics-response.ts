import type { TransportRequest, TransportResponse } from "@pilothouse/seams"
import type { Server } from "../server/server.ts"

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
