import type { TransportResponse } from "@pilothouse/seams"

/** For the few paths that answer with words, not objects. */
export function textResponse(text: string, status = 200): TransportResponse {
  const contentType = "text/plain; charset=utf-8"
  const headers = { "content-type": contentType, "x-content-type-options": "nosniff" }
  return { status, headers, body: { type: "bytes", bytes: new TextEncoder().encode(text), contentType } }
}

export function notFoundPage(): TransportResponse {
  return textResponse("404 page not found\n", 404)
}
